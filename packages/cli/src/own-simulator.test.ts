import { createServer } from 'node:http'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { readCassette } from '@steploop/cassette'
import { runConformance, scenarios, type Subject } from '@steploop/conformance'
import { recordScenario, type RecordOptions } from '@steploop/lab'
import { expect, onTestFinished, test, vi } from 'vitest'
import { frame, tideSubject } from '../../../test/suite/tide-subject.ts'
import { registerCassette } from './cassette/register-cassette.ts'
import { registerConformance } from './conformance/conformance.ts'
import { registerRecord } from './record/record.ts'
import { root, runSteploop, scratchFolder, spawnSteploop } from './testing.ts'

// Some start processes of their own.
vi.setConfig({ testTimeout: 60_000 })

/** A project of a stranger: a config with one subject, and what the command says in it, in a process of its own or in this one. */
function project(subject = '{}', before = '') {
  const folder = scratchFolder()
  const from = pathToFileURL(join(root, 'test/suite/tide-subject.ts')).href
  writeFileSync(
    join(folder, 'steploop.config.ts'),
    `import { frame, tideSubject } from ${JSON.stringify(from)}
${before}
export default { subjects: [tideSubject({ cassettes: new URL('cassettes/', import.meta.url), ...${subject} })] }\n`,
  )
  const spawned = (...words: readonly string[]) => {
    const { status, stdout, stderr } = spawnSteploop(words, { TIDE_API_KEY: 'key' }, folder)
    return { exit: status, said: stdout + stderr }
  }
  const steploop = async (...words: readonly string[]) => {
    for (const name of ['CI', 'npm_command', 'npm_lifecycle_event']) vi.stubEnv(name, undefined)
    vi.stubEnv('TIDE_API_KEY', 'key')
    const { status, out, err } = await runSteploop(
      [registerRecord, registerConformance, registerCassette],
      words,
      folder,
    )
    return { exit: status, said: out + err }
  }
  return { folder, spawned, steploop }
}

/** Says a text, whatever the script of the scenario says. */
const otherScenario = `const simulateOther = () => (request, next) => {
  next()
  return { frames: [frame({ text: 'Moin', first: true }), frame({ read: 1, wrote: 1 })] }
}`

const saying = (text: string): Uint8Array => frame({ text, first: true })
const end = frame({ read: 120, wrote: 27 })

const chosen = ['--scenario', 'text-only', '--scenario', 'bad-key'] as const

test('cassettes of a binary format come from the simulator of its author, and are cut in every frame', () => {
  const { folder, spawned: steploop } = project()
  expect(steploop('record', '--simulator', ...chosen)).toMatchObject({
    exit: 0,
    said: expect.stringContaining('4 written, 0 unchanged, 0 refused'),
  })
  const { header, exchanges } = readCassette(join(folder, 'cassettes/text-only.stream.yaml'))
  expect(header.origin.kind).toBe('simulated')
  expect(exchanges[0]?.response.headers['content-type']).toBe('application/x-tide')
  const run = steploop('conformance', ...chosen, '--json', 'report.json')
  expect(run).toMatchObject({ exit: 0 })
  const { cases } = JSON.parse(readFileSync(join(folder, 'report.json'), 'utf8'))
  expect(cases.map(({ verdict }: { verdict: string }) => verdict)).toEqual(['pass', 'pass', 'pass', 'pass'])
  expect(steploop('record', '--simulator', ...chosen).said).toContain('0 written, 4 unchanged')
})

test('a header that decides is in the cassette where the subject names it; where it does not, the refusal says which are left out', async () => {
  const { folder, steploop } = project()
  await steploop('record', '--simulator', '--scenario', 'bad-key', '--mode', 'stream')
  const { exchanges } = readCassette(join(folder, 'cassettes/bad-key.stream.yaml'))
  expect(exchanges[0]?.response.headers['x-tide-fault']).toBe('key')
  const { steploop: other } = project('{ responseHeaders: [] }')
  const refused = await other('record', '--simulator', '--scenario', 'bad-key', '--mode', 'stream')
  expect(refused.exit).toBe(1)
  expect(refused.said).toMatch(
    /cassettes leave out these response headers: x-tide-fault\. Name those .*`responseHeaders`/,
  )
})

async function recordFrom(from: RecordOptions['from'], given: Pick<Subject, 'simulate'> = {}) {
  const cassettes = scratchFolder()
  const subject = tideSubject({ cassettes, ...given })
  const scenario = scenarios.find(({ id }) => id === 'text-only')!
  return { subject, ...(await recordScenario({ subject, scenario, mode: 'stream', attempts: 1, from })) }
}

const simulated: readonly (readonly [what: string, NonNullable<Subject['simulate']>, RegExp])[] = [
  [
    'answers by itself',
    () => () => ({ frames: [saying('Moin'), end] }),
    /answers with 200 without a turn of the script/,
  ],
  ['takes two turns', () => (_, next) => (next(), next(), {}), /`next` was called twice for one request/],
  ['gives an end that is not there', () => (_, next) => (next(), { frames: [end], terminal: 7 }), /`terminal` is 7/],
  ['has a status that is none', () => (_, next) => (next(), { status: 99 }), /`status` is 99/],
  // What is not typed can give anything.
  ['gives nothing', () => (_, next) => void next() as never, /it answers with undefined, not with an object/],
  ['gives no provider', () => undefined as never, /itself fails: TypeError/],
  ['gives frames for ever', () => (_, next) => (next(), { frames: endless() as never }), /has to be an array of texts/],
  [
    'refuses',
    () => () => ({ status: 400, body: { why: 'no' } }),
    /refuses \/v1\/talk\?mode=stream with 400: \{"why":"no"\}/,
  ],
]

function* endless() {
  for (;;) yield end
}

test.each(simulated)('a simulator that %s is named, and nothing is written', async (_, simulate, message) => {
  const { status, problems } = await recordFrom('simulator', { simulate })
  expect(status).toBe('refused')
  expect(problems.join('\n')).toMatch(message)
})

test.each([
  [
    'throws',
    "() => { throw new TypeError('no words today') }",
    /the simulator itself fails: TypeError: no words today \(at steploop\.config\.ts:\d+:\d+\)/,
  ],
  [
    'never answers',
    '() => () => new Promise(() => {})',
    /itself fails: NotSettled: the answer did not settle within 5000 ms/,
  ],
  ['answers for another scenario', '({ model }) => simulateOther(model)', /golden: the trace differs/],
])('through the command a simulator that %s is named, and the case is red', async (_, simulate, message) => {
  const { folder, steploop } = project(`{ simulate: ${simulate} }`, otherScenario)
  const refused = await steploop('record', '--simulator', '--scenario', 'bad-key', '--mode', 'stream')
  expect(refused.exit).toBe(1)
  expect(refused.said).toMatch(message)
  // What follows from a fault of the simulator would blame the adapter.
  expect(/itself fails/.test(refused.said) && /golden/.test(refused.said)).toBe(false)
  expect(refused.said).toContain('0 written, 0 unchanged, 1 refused')
  expect(existsSync(join(folder, 'cassettes/bad-key.stream.yaml'))).toBe(false)
  expect(await steploop('conformance', '--scenario', 'bad-key', '--mode', 'stream')).toMatchObject({
    exit: 1,
    said: expect.stringMatching(/the recording of .*bad-key\.stream\.yaml was refused/),
  })
})

/** A server of one's own, in any language: it tells what it was told. */
async function ownServer(scenario?: string) {
  const reported: unknown[] = []
  const server = createServer((incoming, outgoing) => {
    incoming.resume()
    reported.push([incoming.headers['x-steploop-scenario'], incoming.headers['x-steploop-mode']])
    if (scenario !== undefined) outgoing.setHeader('x-steploop-scenario', scenario)
    outgoing.setHeader('content-type', 'application/x-tide')
    outgoing.write(saying('Grüezi aus Zürich, 東京 👋'))
    outgoing.end(end)
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : ''
  return { reported, baseURL: `http://127.0.0.1:${port}` }
}

test('a server that plays a model is told what is played; a real one is not', async () => {
  const { reported, baseURL } = await ownServer()
  await recordFrom({ baseURL, origin: 'simulated' })
  await recordFrom({ baseURL, origin: 'live' })
  expect(reported).toEqual([
    ['text-only', 'stream'],
    [undefined, undefined],
  ])
})

test('a server that says that it plays another scenario is refused by name', async () => {
  const { baseURL } = await ownServer('three-turn')
  const { status, problems } = await recordFrom({ baseURL, origin: 'simulated' })
  expect(status).toBe('refused')
  expect(problems[0]).toBe("the server plays the scenario 'three-turn', not 'text-only'")
})

test('a folder of cassettes with binary junk in it is named file by file, without a byte of it', async () => {
  const { folder, steploop } = project()
  const cassettes = join(folder, 'cassettes')
  mkdirSync(join(cassettes, 'a-folder.yaml'), { recursive: true })
  const junk = new Uint8Array(5000).map((_, at) => (at * 7919 + 27) % 256)
  writeFileSync(join(cassettes, 'text-only.stream.yaml'), junk)
  writeFileSync(join(cassettes, 'bad-key.stream.refused.txt'), junk)
  const { exit, said } = await steploop('conformance', ...chosen, '--scenario', 'cut-stream', '--mode', 'stream')
  expect(exit).toBe(1)
  expect(said).toMatch(/text-only\.stream\.yaml: The file is not valid UTF-8/)
  expect(said).toMatch(/the recording of .*bad-key\.stream\.yaml was refused/)
  // Line ends are the only control characters.
  expect(said.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\uFFFD]/u)
  expect(await steploop('cassette', 'check', 'cassettes')).toMatchObject({ exit: 1 })
})

test('a reader that throws is named, and is no fault of the adapter', async () => {
  const { subject, status } = await recordFrom('simulator')
  expect(status).toBe('written')
  const readRequest = (): never => {
    throw new TypeError('what is this?')
  }
  const { cases } = await runConformance([{ ...subject, readRequest }], {
    scenario: ['text-only'],
    mode: 'stream',
    stress: [],
  })
  const red = cases[0]?.checks.filter(({ verdict }) => verdict !== 'pass' && verdict !== 'not-applicable')
  expect(red?.flatMap(({ failures }) => failures.map(({ message }) => message))).toEqual([
    expect.stringContaining('`readRequest` of the subject fails: TypeError: what is this?'),
  ])
})

test('through the command a claim whose scenario the subject leaves out is named, and red', async () => {
  const tooMuch = `const claiming = tideSubject({ cassettes: '.' })
const adapter = (options) => ({ ...claiming.adapter(options), capabilities: { streamUsage: true, reasoning: true } })`
  const { steploop } = project("{ adapter, noWordsFor: { 'reasoning-text': 'there is no time' } }", tooMuch)
  const { exit, said } = await steploop('conformance', '--scenario', 'reasoning-text', '--mode', 'stream')
  expect(exit).toBe(1)
  expect(said).toMatch(/`reasoning` is claimed, and `noWordsFor` of the subject leaves out `reasoning-text`/)
})
