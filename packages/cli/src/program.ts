import { readFileSync } from 'node:fs'
import { Command, Help, Option } from 'commander'
import { registerCassette } from './cassette/register-cassette.ts'
import { registerConformance } from './conformance/conformance.ts'
import { guardProcess } from './command/guard-process.ts'
import { registerLive } from './live/live.ts'
import { registerMerge } from './conformance/merge.ts'
import { registerMutants } from './mutants/mutants.ts'
import { registerDrift } from './record/drift.ts'
import { registerRecord } from './record/record.ts'
import { runCommand } from './command/run-command.ts'
import { registerTraffic } from './traffic/traffic.ts'
import { registerVerify } from './conformance/verify.ts'

const onDone = guardProcess()

const program = new Command('steploop')
  .description('Checks adapters against scenarios, cassettes and recorded traffic')
  .version(ownVersion())
  .showHelpAfterError()
  // That an option which may be repeated starts with an empty list says nothing to its reader.
  .configureHelp({
    optionDescription: (option) =>
      new Help().optionDescription(
        Array.isArray(option.defaultValue) ? new Option(option.flags, option.description) : option,
      ),
  })
  .exitOverride()

registerConformance(program)
registerMerge(program)
registerVerify(program)
registerTraffic(program)
registerRecord(program)
registerDrift(program)
registerLive(program)
registerMutants(program)
registerCassette(program)

// Not awaited here: the runtime would print a warning of its own about what never settles.
void runCommand(program, process.argv).then(onDone)

/** From this package's manifest. */
function ownVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
  return String(Reflect.get(Object(manifest), 'version'))
}
