import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'

// Processes take their time on a busy machine.
vi.setConfig({ testTimeout: 60_000 })

/** A process that is ended after two seconds of nothing else, and runs this code. */
function run(code: string) {
  const folder = mkdtempSync(join(tmpdir(), 'blocked-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const from = (file: string): string => JSON.stringify(new URL(file, import.meta.url).href)
  const imports = `import { endWhenBlocked } from ${from('end-when-blocked.ts')}
import { noteCase } from ${from('../case-under-way.ts')}
endWhenBlocked(2)
await new Promise((resolve) => setTimeout(resolve, 1_000))
`
  writeFileSync(join(folder, 'run.mjs'), imports + code)
  const words = ['--conditions=@steploop/source', join(folder, 'run.mjs')]
  const { status, signal, stdout, stderr } = spawnSync(process.execPath, words, { encoding: 'utf8', timeout: 50_000 })
  return { status, signal, stdout, stderr }
}

test('a case that lets nothing else run is named, and the process ends', () => {
  const { signal, stderr } = run("noteCase('tide/text-only/stream'); for (;;);")
  expect(signal).toBe('SIGKILL')
  expect(stderr).toContain('tide/text-only/stream has been running for 2 s in which nothing else can run')
})

test('a case that waits, and what runs between cases, may take as long as it needs', () => {
  const loop = "noteCase(undefined); const end = Date.now() + 4_000; while (Date.now() < end); console.log('done')"
  expect(run(loop)).toMatchObject({ status: 0, stdout: 'done\n' })
  const wait = "noteCase('a'); setTimeout(() => console.log('done'), 4_000)"
  expect(run(wait)).toMatchObject({ status: 0, stdout: 'done\n' })
})
