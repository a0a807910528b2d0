import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test, vi } from 'vitest'

// Processes take their time on a busy machine.
vi.setConfig({ testTimeout: 60_000 })

/** Whether there is such a process; one that ended and that nobody asked about counts as none. */
function isRunning(id: number): boolean {
  const state = `/proc/${id}/stat`
  return existsSync(state) && !/\) Z /.test(readFileSync(state, 'utf8'))
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await setTimeout(50)
}

test.runIf(process.platform === 'linux')(
  'a part of the mutants ends when the process that started it is gone',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'steploop-parent-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const [config, file] = ['steploop.config.mjs', 'id'].map((name) => join(folder, name))
    writeFileSync(
      config!,
      `import { writeFileSync } from 'node:fs'
writeFileSync(${JSON.stringify(file)}, String(process.pid))
await new Promise((resolve) => setTimeout(resolve, 600_000))`,
    )
    const main = fileURLToPath(new URL('main.ts', import.meta.url))
    const words = ['--conditions=@steploop/source', main, 'mutants', config, '--full', '--part', '1/2']
    const parent = spawn(process.execPath, [
      '--eval',
      `require('node:child_process').spawn(process.execPath, ${JSON.stringify(words)}, { stdio: 'ignore' })`,
    ])
    await until(() => existsSync(file!) && readFileSync(file!, 'utf8') !== '')
    const id = Number(readFileSync(file!, 'utf8'))
    expect(isRunning(id)).toBe(true)
    parent.kill('SIGKILL')
    await until(() => !isRunning(id))
    expect(isRunning(id)).toBe(false)
  },
)
