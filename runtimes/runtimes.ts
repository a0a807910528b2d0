import { chromium } from './chromium.ts'
import { commandRuntime } from './command-runtime.ts'
import type { Runtime } from './runtime.ts'
import { workerd } from './workerd.ts'

/** Every runtime that is proven, in the order of the table. */
export const runtimes: readonly Runtime[] = [
  commandRuntime({ name: 'node22', packageName: 'node@22', agent: /^Node\.js\/22/ }),
  commandRuntime({ name: 'node24', packageName: 'node@24', agent: /^Node\.js\/24/ }),
  commandRuntime({ name: 'node26', packageName: 'node@26', agent: /^Node\.js\/26/ }),
  commandRuntime({
    name: 'deno',
    packageName: 'deno@2',
    agent: /^Deno\/2/,
    // Loopback is all that it may use: no files, no environment.
    parameters: ['run', '--no-prompt', '--allow-net=127.0.0.1'],
  }),
  commandRuntime({ name: 'bun', packageName: 'bun@1', agent: /^Bun\/1/, parameters: ['--no-install'] }),
  workerd,
  chromium,
]
