import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, vi, type TestContext } from 'vitest'

// Processes take their time on a busy machine.
vi.setConfig({ testTimeout: 60_000 })

/** A process that runs this code, and is ended after so many seconds of CPU, or by the clock, with nothing else. */
async function run(code: string, onTestFinished: TestContext['onTestFinished'], cpu = 60, clock = 2) {
  const folder = mkdtempSync(join(tmpdir(), 'blocked-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const from = (file: string): string => JSON.stringify(new URL(file, import.meta.url).href)
  const imports = `import { endWhenBlocked } from ${from('end-when-blocked.ts')}
import { noteCase } from ${from('./case-under-way.ts')}
endWhenBlocked(${cpu}, ${clock})
await new Promise((resolve) => setTimeout(resolve, 1_000))
`
  writeFileSync(join(folder, 'run.mjs'), imports + code)
  const words = ['--conditions=@steploop/source', join(folder, 'run.mjs')]
  const child = spawn(process.execPath, words)
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  return { status: child.exitCode, signal: child.signalCode, stdout, stderr }
}

/** Code that lets nothing else run for so long, and takes the machine from nobody. */
const standstill = (ms: number): string => `Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ${ms})`

// At once: they wait more than they work.
test.concurrent.for([
  ['waits', standstill(Infinity), 60, 2],
  ['loops', 'for (;;);', 1, 300],
] as const)(
  'a case that %s and lets nothing else run is named, and the process ends',
  async ([does, code, cpu, clock], { expect, onTestFinished }) => {
    const { signal, stderr } = await run(`noteCase('tide/text-only/stream'); ${code}`, onTestFinished, cpu, clock)
    expect(signal).toBe('SIGKILL')
    expect(stderr).toMatch(/tide\/text-only\/stream has been running for \d+ s in which nothing else can run/u)
    expect(stderr).toContain(`, ${does} `)
  },
)

test.concurrent.for([
  ['what runs between cases', `noteCase(undefined); ${standstill(4_000)}; console.log('done')`, 2],
  ['a case that waits', "noteCase('a'); setTimeout(() => console.log('done'), 4_000)", 2],
  ['a case that others leave no CPU', `noteCase('a'); ${standstill(4_000)}; console.log('done')`, 60],
] as const)('%s may take as long as it needs', async ([, code, clock], { expect, onTestFinished }) => {
  expect(await run(code, onTestFinished, 2, clock)).toMatchObject({ status: 0, stdout: 'done\n' })
})
