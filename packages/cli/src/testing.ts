import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { format } from 'node:util'
import { Command } from 'commander'
import { onTestFinished, vi } from 'vitest'
import { runCommand } from './command/run-command.ts'

/** The repository. */
export const root = fileURLToPath(new URL('../../..', import.meta.url))

const main = join(root, 'packages/cli/src/main.ts')
const condition = '--conditions=@steploop/source'

/** Code that lets nothing else run, for ever: as `for (;;);`, but it takes the machine from nobody. */
export const standstill = 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)'

/** A folder that goes when the test ends. */
export function scratchFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'steploop-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return folder
}

/** The program in a process of its own, from the repository or another folder, as if typed. */
export function spawnSteploop(words: readonly string[], more: NodeJS.ProcessEnv = {}, cwd = root) {
  const env = { ...process.env, NO_COLOR: '1', CI: undefined, npm_command: undefined, npm_lifecycle_event: undefined }
  const node = [condition, main, ...words]
  const options = { cwd, encoding: 'utf8', env: { ...env, ...more } } as const
  const { status, stdout, stderr } = spawnSync(process.execPath, node, options)
  return { status, stdout, stderr }
}

/** Commands in this process, from its folder or another one: what they print, and the exit code. */
export async function runSteploop(
  registers: readonly ((program: Command) => void)[],
  words: readonly string[],
  cwd = process.cwd(),
) {
  const [out, err]: [string[], string[]] = [[], []]
  const note =
    (into: string[]) =>
    (text: unknown): boolean =>
      into.push(String(text)) > 0
  const spies = [
    vi.spyOn(process.stdout, 'write').mockImplementation(note(out)),
    vi.spyOn(process.stderr, 'write').mockImplementation(note(err)),
    // By the streams, which the command may divert.
    vi.spyOn(console, 'log').mockImplementation((...given) => void process.stdout.write(`${format(...given)}\n`)),
    vi.spyOn(console, 'error').mockImplementation((...given) => void process.stderr.write(`${format(...given)}\n`)),
  ]
  const program = new Command('steploop')
  for (const register of registers) register(program)
  for (const command of [program, ...program.commands]) {
    command.exitOverride().configureOutput({ writeOut: note(out), writeErr: note(err) })
  }
  const before = { exitCode: process.exitCode, cwd: process.cwd() }
  process.chdir(cwd)
  // For processes that the command starts.
  process.execArgv.push(condition)
  try {
    await runCommand(program, ['node', 'steploop', ...words])
    return { status: process.exitCode as unknown, out: out.join(''), err: err.join('') }
  } finally {
    process.exitCode = before.exitCode
    process.chdir(before.cwd)
    process.execArgv.pop()
    for (const spy of spies) spy.mockRestore()
  }
}
