import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, vi, type TestContext } from 'vitest'

// Processes take their time on a busy machine.
vi.setConfig({ testTimeout: 60_000 })

/** A process that is ended after two seconds of nothing else, and runs this code. */
async function run(code: string, onTestFinished: TestContext['onTestFinished']) {
  const folder = mkdtempSync(join(tmpdir(), 'blocked-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const from = (file: string): string => JSON.stringify(new URL(file, import.meta.url).href)
  const imports = `import { endWhenBlocked } from ${from('end-when-blocked.ts')}
import { noteCase } from ${from('./case-under-way.ts')}
endWhenBlocked(2)
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
test.concurrent('a case that lets nothing else run is named, and the process ends', async ({
  expect,
  onTestFinished,
}) => {
  const { signal, stderr } = await run(`noteCase('tide/text-only/stream'); ${standstill(Infinity)}`, onTestFinished)
  expect(signal).toBe('SIGKILL')
  expect(stderr).toContain('tide/text-only/stream has been running for 2 s in which nothing else can run')
})

test.concurrent.for([
  ['what runs between cases', `noteCase(undefined); ${standstill(4_000)}; console.log('done')`],
  ['a case that waits', "noteCase('a'); setTimeout(() => console.log('done'), 4_000)"],
])('%s may take as long as it needs', async ([, code], { expect, onTestFinished }) => {
  expect(await run(code!, onTestFinished)).toMatchObject({ status: 0, stdout: 'done\n' })
})
