import type { Readable, Writable } from 'node:stream'
import { parseArgs } from 'node:util'
import { StepLoopError } from '@steploop/core'
import { createPerson } from './ask.ts'
import type { Example } from './example.ts'
import { examples } from './list.ts'
import { recordExample, writeRecording } from './record.ts'
import { defaultProvider, openSetting, providers, type Source } from './setting.ts'

const width = Math.max(...examples.map(({ name }) => name.length))

const help = `pnpm example NAME [options]

${examples.map(({ name, title }) => `  ${name.padEnd(width)}  ${title}`).join('\n')}

Without a key nothing leaves this machine: answers come from a cassette, or for another provider from its simulator.

  --live          ask the real API; needs its key in the environment
  --provider P    ${providers().join(', ')} (default ${defaultProvider})
  --answer TEXT   answer a question of the program; may be given again (otherwise: the terminal, or lines of stdin)
  --serve         stay and serve (chat-page, responses-server)
  --record        record the cassette anew, from the simulator
  --help          this text

Exit codes: 0 the program ran to its end, 1 it failed, 2 wrong options or a key that is not set.
`

const flags = {
  live: { type: 'boolean', default: false },
  provider: { type: 'string' },
  answer: { type: 'string', multiple: true },
  serve: { type: 'boolean', default: false },
  record: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const

interface Wish {
  readonly example: Example
  readonly source: Source | 'record'
  readonly provider: string
  readonly answers: readonly string[]
  readonly serve: boolean
}

/** `undefined`: the help was asked for. */
function wishOf(words: string[]): Wish | undefined {
  const { values, positionals } = parsed(words)
  if (values.help) return undefined
  const [name, ...more] = positionals
  const example = examples.find((one) => one.name === name)
  const names = examples.map((one) => one.name).join(', ')
  if (name === undefined) throw new StepLoopError('usage', `Which example? There are: ${names}.`)
  if (example === undefined) throw new StepLoopError('usage', `There is no example '${name}'. There are: ${names}.`)
  if (more.length > 0) throw new StepLoopError('usage', `One example at a time: '${more.join(' ')}' is too much.`)
  const { live, record, answer: answers = [], serve, provider = defaultProvider } = values
  if (record && (live || provider !== defaultProvider)) {
    throw new StepLoopError(
      'usage',
      `--record records from the simulator of ${defaultProvider}: leave --live and --provider out.`,
    )
  }
  const source = provider === defaultProvider ? 'cassette' : 'simulator'
  return { example, source: record ? 'record' : live ? 'live' : source, provider, answers, serve }
}

function parsed(words: string[]) {
  try {
    return parseArgs({ args: words, options: flags, allowPositionals: true })
  } catch (error) {
    throw new StepLoopError(
      'usage',
      `${error instanceof Error ? error.message : String(error)}\nSee pnpm example --help.`,
    )
  }
}

/** Where a command reads and writes: those of the process, or a test's. */
export interface Terminal {
  readonly stdin: Readable & { readonly isTTY?: boolean | undefined }
  readonly stdout: Writable
  readonly stderr: Writable
}

/** Runs one command line; gives the exit code: 0, 1 for a program that failed, 2 for wrong use. */
export async function runCommand(words: readonly string[], terminal: Terminal): Promise<number> {
  const print = (line: string): void => void terminal.stdout.write(`${line}\n`)
  try {
    const wish = wishOf([...words])
    if (wish === undefined) print(help)
    else if (wish.source === 'record') writeRecording(await recordExample(wish.example)).forEach((path) => print(path))
    else await play({ ...wish, source: wish.source }, terminal, print)
    return 0
  } catch (error) {
    terminal.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
    return StepLoopError.isInstance(error) && error.code === 'usage' ? 2 : 1
  }
}

async function play(
  { example, source, provider, answers, serve }: Wish & { readonly source: Source },
  { stdin, stdout }: Terminal,
  print: (line: string) => void,
): Promise<void> {
  const [first = { model: [] }] = example.takes
  const take = example.takes.find((one) => one.answers?.[0] === answers[0]) ?? first
  const setting = await openSetting({ example, source, provider, take })
  const person = createPerson({ answers, input: stdin, output: stdout })
  print(`(${setting.description})`)
  const { model, other } = setting
  try {
    await example.run({ model, other, serve, print, ask: (question) => person.ask(question) })
  } finally {
    person.close()
    if (!serve) await setting.close()
  }
}
