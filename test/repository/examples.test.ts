import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { PassThrough } from 'node:stream'
import { printCassette, readCassette, type Cassette } from '@steploop/cassette'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createPerson } from '../../examples/ask.ts'
import type { Example } from '../../examples/example.ts'
import { examples } from '../../examples/list.ts'
import { recordExample } from '../../examples/record.ts'
import { runCommand } from '../../examples/run-command.ts'
import { timeLimits } from '../../examples/search-dates.ts'
import {
  cassettePath,
  defaultProvider,
  openSetting,
  otherProvider,
  providers,
  subjectOf,
} from '../../examples/setting.ts'
import { findFiles, repository } from './source-files.ts'

interface PlayOptions {
  readonly provider?: string
  readonly answers?: readonly string[]
}

/** What the program prints: on its cassette, or for another provider on that provider's simulator. */
async function play(example: Example, { provider = defaultProvider, answers = [] }: PlayOptions = {}) {
  const take = example.takes.find((one) => one.answers?.[0] === answers[0]) ?? example.takes[0]!
  const source = provider === defaultProvider ? 'cassette' : 'simulator'
  const setting = await openSetting({ example, source, provider, take })
  const lines: string[] = []
  const given = answers.values()
  try {
    await example.run({
      model: setting.model,
      other: setting.other,
      serve: false,
      print: (line) => lines.push(line),
      ask: async () => given.next().value ?? '',
    })
  } finally {
    await setting.close()
  }
  return lines
}

function named(name: string): Example {
  return examples.find((example) => example.name === name)!
}

test('parallel-tools answers three calls of one turn in their order', async () => {
  expect(await play(named('parallel-tools'))).toEqual([
    'step 0: weather {"city":"Paris"} -> {"city":"Paris","sky":"rain","celsius":9}',
    'step 0: weather {"city":"Zürich"} -> {"city":"Zürich","sky":"sun","celsius":4}',
    'step 0: time {"city":"Tokyo"} -> {"city":"Tokyo","time":"23:30"}',
    'Paris: rain, 9 °C. Zürich: sun, 4 °C. In Tokyo it is 23:30.',
  ])
})

test('mcp-files asks before it writes, and only then', async () => {
  const files = named('mcp-files')
  const [allowed, denied] = [await play(files, { answers: ['y'] }), await play(files, { answers: ['n'] })]
  expect(allowed).toEqual([
    'write_file -> {"content":"Successfully wrote to shopping.txt"}',
    'Milk was on it twice; now it is there once.',
  ])
  expect(denied).toEqual([
    'write_file -> {"code":"denied","message":"The call was not approved."}',
    'Milk is on it twice. I have left the list as it is.',
  ])
})

test('approval runs the call on y and leaves it on anything else, silence too', async () => {
  const approval = named('approval')
  expect(await play(approval, { answers: ['y'] })).toEqual(['approved', 'draft.txt is deleted.'])
  expect(await play(approval, { answers: ['n'] })).toEqual(['denied', 'All right, draft.txt stays.'])
  expect(await play(approval)).toEqual(['denied', 'All right, draft.txt stays.'])
})

test('client-tools suspends, goes through JSON and resumes', async () => {
  expect(await play(named('client-tools'))).toEqual([
    'requires-action: client-tool',
    'the page gets pick_seat {"row":12,"seats":["A","C","F"]}',
    'Seat 12C is yours. It costs 45 CHF.',
  ])
})

test('structured-answer gives the object after its tool', async () => {
  expect(await play(named('structured-answer'))).toEqual(['2 steps', 'order ZH-1001: delayed, in Basel'])
})

test('switch-provider finishes the run behind the other provider and runs the tool once', async () => {
  expect(await play(named('switch-provider'))).toEqual([
    'running stock',
    'step 0 by anthropic',
    'step 1 is asked for again: overloaded',
    'step 1 by openai',
    'Three red bicycles are left.',
  ])
})

test('telemetry prints the run as a tree', async () => {
  const lines = await play(named('telemetry'))
  expect(lines.map((line) => line.replace(/  \w+=.*/, ''))).toEqual([
    'invoke_agent weather',
    '  chat claude-sonnet-4-5',
    '  execute_tool weather',
    '  execute_tool weather',
    '  chat claude-sonnet-4-5',
    'It is 21 degrees in both.',
  ])
})

test('chat-page tells its visitor what runs, asks before it reserves, and goes on with the decision', async () => {
  expect(await play(named('chat-page'))).toEqual([
    'running hours',
    'may it run reserve?',
    'running reserve',
    'The library is open until 18:00, and desk 12 is yours.',
  ])
})

test('responses-server runs its own tool, hands out that of the client, and goes on with the output', async () => {
  expect(await play(named('responses-server'))).toEqual([
    'web_search_call',
    'function_call: reserve',
    'message: It is open until 18:00, and ticket 71 is yours.',
  ])
})

test('search-dates fills what the model left out and keeps what it gave', async () => {
  const [asked, got] = await play(named('search-dates'))
  expect(asked).toBe('the model asked for {"query":"tunnel news","after":"2026-11-02"}')
  expect(got).toContain('"time_hint":"3 to 9 November","after":"2026-11-02","before":"2026-11-09"')
})

test.each([
  ['AI news of last week', { time_hint: 'last week', after: '2026-11-14' }],
  ['what happened yesterday?', { time_hint: 'yesterday', after: '2026-11-20' }],
  ['news between 2026-11-01 and 2026-11-05', { time_hint: '2026-11-01', after: '2026-11-01', before: '2026-11-05' }],
  ['explain quantum physics', {}],
  ['the weather tomorrow', {}],
])('the time limits of "%s" are %j', (prompt, limits) => {
  expect(timeLimits(prompt, new Date('2026-11-21T12:00:00Z'))).toEqual(limits)
})

test.each(examples.map((example) => [example.name, example] as const))(
  '%s gives the same answer behind every provider',
  // The server of `mcp-files` is a process for each, which takes its time on a busy machine.
  { timeout: 120_000 },
  async (_, example) => {
    const answers = example.takes[0]!.answers ?? []
    const expected = (await play(example, { answers })).at(-1)
    for (const provider of providers().filter((name) => name !== defaultProvider)) {
      const lines = await play(example, { provider, answers })
      expect([provider, lines.at(-1)]).toEqual([provider, expected])
    }
  },
)

/** Without what recording anew may change: the day, and where the loopback interface cut the chunks. */
function timeless({ header, exchanges }: Cassette): string {
  return printCassette({
    header: { ...header, origin: { ...header.origin, date: '2026-01-01' } },
    exchanges: exchanges.map(({ request, response }) => ({
      request,
      response: { ...response, chunks: [{ ms: 0, bytes: response.body.length }] },
    })),
  })
}

test.each(examples.map((example) => [example.name, example] as const))(
  'the cassettes of %s say that they are simulated, and are what recording anew gives',
  async (_, example) => {
    for (const [path, cassette] of await recordExample(example)) {
      const kept = readCassette(path)
      expect(kept.header.origin.kind).toBe('simulated')
      expect(timeless(kept)).toBe(timeless(cassette))
    }
  },
)

test('every cassette in the folder belongs to an example', () => {
  const subjects = [defaultProvider, otherProvider(defaultProvider)].map(subjectOf)
  const known = examples.flatMap((example) => subjects.map((subject) => cassettePath(example, subject)))
  const files = findFiles('cassettes/examples/*').map((path) => `${repository}/${path}`)
  expect(files.filter((path) => !known.includes(path))).toEqual([])
})

test('a program to start from is one file of at most 60 lines', () => {
  const lines = examples.map(({ name }) => readFileSync(`${repository}/examples/${name}.ts`, 'utf8').split('\n').length)
  expect(Math.max(...lines)).toBeLessThanOrEqual(60)
})

test('answers come from the flags first, then from the lines of the input, then there are none', async () => {
  const input = new PassThrough()
  input.end('second\n')
  const person = createPerson({ answers: ['first'], input, output: new PassThrough() })
  expect([await person.ask('?'), await person.ask('?'), await person.ask('?')]).toEqual(['first', 'second', ''])
  person.close()
})

/** The command in this process: exit code, and what it wrote. */
async function command(...words: readonly string[]) {
  const [stdin, output] = [new PassThrough(), new PassThrough()]
  stdin.end()
  const status = await runCommand(words, { stdin, stdout: output, stderr: output })
  return { status, text: String(output.read()) }
}

test('the command takes an approval from a pipe', { timeout: 60_000 }, () => {
  const words = ['--conditions=@steploop/source', 'examples/main.ts', 'approval']
  const { status, stdout } = spawnSync(process.execPath, words, { cwd: repository, input: 'y\n', encoding: 'utf8' })
  expect(stdout).toContain('Run delete_file {"path":"draft.txt"}? [y/n] y\napproved\ndraft.txt is deleted.\n')
  expect(status).toBe(0)
})

test('the command takes an approval from a flag, also behind another provider', async () => {
  for (const provider of ['anthropic', 'gemini']) {
    const { status, text } = await command('approval', '--answer', 'n', '--provider', provider)
    expect([status, text]).toEqual([0, expect.stringContaining('denied\nAll right, draft.txt stays.\n')])
  }
})

test('the command with --live and without a key says which key it needs, and asks nobody', async () => {
  vi.stubEnv('ANTHROPIC_API_KEY', '')
  vi.stubGlobal('fetch', () => expect.unreachable('nothing may be sent'))
  onTestFinished(() => void vi.unstubAllGlobals())
  const { status, text } = await command('approval', '--live')
  expect([status, text]).toEqual([2, expect.stringContaining('ANTHROPIC_API_KEY is not set')])
})

test.each([
  [['--help'], 0, 'structured-answer'],
  [[], 2, 'Which example? There are: parallel-tools'],
  [['nothing'], 2, "There is no example 'nothing'"],
  [['approval', 'chat-page'], 2, "'chat-page' is too much"],
  [['approval', '--provider', 'nobody'], 2, "There is no provider 'nobody'. There are: openai"],
  [['approval', '--record', '--live'], 2, 'leave --live and --provider out'],
  [['approval', '--loud'], 2, '--help'],
])('the command %j ends with %i and says what there is', async (words, status, text) => {
  expect(await command(...words)).toEqual({ status, text: expect.stringContaining(text) })
})
