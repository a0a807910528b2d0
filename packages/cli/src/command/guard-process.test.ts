import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { scratchFolder } from '../testing.ts'

const main = fileURLToPath(new URL('../main.ts', import.meta.url))

interface Outcome {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** `steploop conformance` in a process of its own, with a config of this text; `interruptAt` is sent Ctrl-C when it is read on stderr. */
function conformance(config: string, interruptAt?: string): Promise<Outcome> {
  const folder = scratchFolder()
  const file = join(folder, 'steploop.config.mjs')
  writeFileSync(file, config)
  const child = spawn(process.execPath, ['--conditions=@steploop/source', main, 'conformance', file], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let [stdout, stderr] = ['', '']
  child.stdout.on('data', (piece) => {
    stdout += String(piece)
  })
  child.stderr.on('data', (piece) => {
    stderr += String(piece)
    if (interruptAt !== undefined && stderr.includes(interruptAt)) child.kill('SIGINT')
  })
  return new Promise((resolve) => {
    child.once('close', (code) => resolve({ code, stdout, stderr }))
  })
}

it.each([
  ['ends the process as if all were well', 'process.exit(0)'],
  ['never settles', 'await new Promise(() => {})'],
])('a config that %s gives exit code 70 and the reason, not a green run', async (_, config) => {
  const { code, stderr } = await conformance(config)
  expect(code).toBe(70)
  expect(stderr).toContain('calls process.exit(), or waits for something that never comes')
})

it('a rejection that nobody waits for gives exit code 70, not that of a finding', async () => {
  const { code, stderr } = await conformance(
    `Promise.reject(new Error('nobody waits')); await new Promise((resolve) => setTimeout(resolve, 60_000))`,
  )
  expect(code).toBe(70)
  expect(stderr).toContain('nobody waits')
})

it('Ctrl-C ends a run with 130; what a config prints goes to stderr', async () => {
  const { code, stdout, stderr } = await conformance(
    `console.log('the config is read'); await new Promise((resolve) => setTimeout(resolve, 60_000))`,
    'the config is read',
  )
  expect({ code, stdout }).toEqual({ code: 130, stdout: '' })
  expect(stderr).toContain('interrupted: no report was written')
})
