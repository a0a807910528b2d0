import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { printCassette, type Cassette, type Exchange } from '@steploop/cassette'
import { Command } from 'commander'
import { type MockInstance, onTestFinished, vi } from 'vitest'
import { runCommand } from '../command/run-command.ts'
import { registerCassette } from './register-cassette.ts'

/** What the tests of these commands share; not published. */
export const main = fileURLToPath(new URL('../main.ts', import.meta.url))

export interface Outcome {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** Runs `steploop cassette <words>` in this process, from a folder: a process for each would make these tests slow. */
export async function cassetteCommand(cwd: string, ...words: readonly string[]): Promise<Outcome> {
  const program = new Command('steploop').exitOverride()
  registerCassette(program)
  const before = { cwd: process.cwd(), exitCode: process.exitCode }
  const spies = [vi.spyOn(process.stdout, 'write'), vi.spyOn(process.stderr, 'write')] as const
  const [stdout, stderr] = [captured(spies[0]), captured(spies[1])]
  const errors = vi.spyOn(console, 'error').mockImplementation((line) => void process.stderr.write(`${String(line)}\n`))
  process.chdir(cwd)
  try {
    process.exitCode = 0
    await runCommand(program, ['node', 'steploop', 'cassette', ...words])
    return { code: exitCode(), stdout: stdout.join(''), stderr: stderr.join('') }
  } finally {
    process.chdir(before.cwd)
    process.exitCode = before.exitCode
    for (const spy of [errors, ...spies]) spy.mockRestore()
  }
}

// Read anew: the compiler takes it for the 0 that was written before the command ran.
const exitCode = (): number => Number(process.exitCode ?? 0)

function captured(spy: MockInstance<typeof process.stdout.write>): readonly string[] {
  const pieces: string[] = []
  spy.mockImplementation((piece) => {
    pieces.push(String(piece))
    return true
  })
  return pieces
}

/** Without keys of the person who runs the tests, which would be searched for, and without colours. */
export function cleanEnvironment(): NodeJS.ProcessEnv {
  const entries = Object.entries(process.env).filter(([name]) => !/_(?:KEY|TOKEN|SECRET)$/i.test(name))
  return { ...Object.fromEntries(entries), NO_COLOR: '1' }
}

/** A folder with these files, gone after the test. */
export function folderWith(files: Readonly<Record<string, string | Uint8Array>>): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'cassette-command-')))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), content)
  }
  return folder
}

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

export interface TalkFacts {
  readonly user?: string | undefined
  readonly answer?: string | undefined
  readonly id?: string | undefined
  readonly ending?: Exchange['response']['ending'] | undefined
}

/** One exchange of Chat Completions. */
export function talk({ user = 'Hi', answer = 'Hello', id = 'chatcmpl-1', ending = 'eof' }: TalkFacts = {}): Exchange {
  const message = { role: 'assistant', content: answer }
  const body = bytes(JSON.stringify({ id, model: 'm1', choices: [{ message, finish_reason: 'stop' }] }))
  return {
    request: {
      method: 'POST',
      url: 'https://chat.example.com/v1/chat/completions',
      headers: { 'content-type': 'application/json' },
      body: bytes(JSON.stringify({ model: 'm1', messages: [{ role: 'user', content: user }] })),
    },
    response: {
      status: 200,
      headers: { 'content-type': 'application/json' },
      body,
      chunks: [{ ms: 0, bytes: body.length }],
      ending,
    },
  }
}

/** The text of a cassette file with these exchanges. */
export function cassetteText(exchanges: readonly Exchange[], header: Partial<Cassette['header']> = {}): string {
  const origin = { kind: 'simulated', by: 'tests', date: '2026-01-02' } as const
  const facts = { scenario: 's', mode: 'generate', provider: 'p', wire: 'openai-chat', model: 'm1', origin } as const
  return printCassette({ header: { ...facts, ...header }, exchanges })
}

/** Made here, so that no scanner takes the sources for a leak. */
export const madeUpKey = ['gsk', 'a1b2c3d4e5f6a7b8c9d0e1f2'].join('_')
export const madeUpAddress = ['zoe', 'mail.test.ch'].join('@')
