import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { HarnessError } from '@steploop/conformance'
import { hasFindings, printTraffic } from './print-traffic.ts'
import { runTraffic, type TrafficOptions } from './run-traffic.ts'
import { chatSubject, recordingText, twoCallKey, twoCallStream } from './testing.ts'

const folders: string[] = []

afterEach(async () => {
  await Promise.all(folders.splice(0).map((folder) => rm(folder, { recursive: true })))
})

async function folderWith(files: Readonly<Record<string, unknown>>): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'traffic-'))
  folders.push(directory)
  for (const [file, content] of Object.entries(files)) {
    await mkdir(dirname(join(directory, file)), { recursive: true })
    await writeFile(join(directory, file), typeof content === 'string' ? content : JSON.stringify(content))
  }
  return directory
}

const two = recordingText({ sse: twoCallStream() })

function run(directory: string, options: Partial<TrafficOptions> = {}): ReturnType<typeof runTraffic> {
  return runTraffic({ directory, subjects: [chatSubject()], ...options })
}

async function failure(promise: Promise<unknown>): Promise<HarnessError> {
  const error: unknown = await promise.catch((thrown: unknown) => thrown)
  if (HarnessError.isInstance(error)) return error
  throw new Error(`no HarnessError, but ${String(error)}`)
}

it('a folder of recordings is grouped by its folders and compared with its key', async () => {
  const key = { 'one/a.json': [twoCallKey], 'two/b.json': [{ ...twoCallKey, text: 'Something else' }] }
  const directory = await folderWith({
    'one/a.json': two,
    'two/b.json': two,
    'EXPECTED.json': key,
    'INDEX.json': '{}',
  })
  const report = await run(directory)
  expect(report.key).toBe(true)
  expect(report.wires['one']).toMatchObject({ files: 1, turns: 1, fields: 25, disagreeing: 0, cuts: 17 })
  expect(report.wires['two']).toMatchObject({ files: 1, turns: 1, fields: 25, disagreeing: 1 })
  expect(report.findings).toEqual([
    {
      type: 'disagreement',
      wire: 'two',
      file: 'two/b.json',
      interaction: 0,
      field: 'text',
      expected: 'Something else',
      observed: twoCallKey.text,
    },
  ])
})

it('a folder of recordings without a key is decoded, re-chunked and cut all the same', async () => {
  const report = await run(await folderWith({ 'mine.json': two }))
  expect(report.key).toBe(false)
  expect(report.wires).toMatchObject({ chat: { turns: 1, fields: 0, rechunked: 1, cuts: 17, unkeyed: 0 } })
  expect(printTraffic(report, { command: 'pnpm traffic' })).toContain('no key')
  expect(hasFindings(report)).toBe(false)
})

it('a folder of recordings may be narrowed to a wire format and to files, whether they lie in a folder or at the top', async () => {
  const directory = await folderWith({ 'one/a.json': two, 'one/b.json': two, 'c.json': two })
  expect(Object.keys((await run(directory, { wire: 'one' })).wires)).toEqual(['one'])
  expect(Object.keys((await run(directory, { wire: 'chat' })).wires)).toEqual(['chat'])
  expect((await run(directory, { file: 'one/b' })).wires).toMatchObject({ one: { files: 1 } })
})

const dispute = { file: 'one/a.json', interaction: 0, field: 'text', reason: 'the recorder lost a character' }

it('a disputed member is counted apart and is no disagreement', async () => {
  const key = { 'one/a.json': [{ ...twoCallKey, text: 'Something else' }] }
  const report = await run(await folderWith({ 'one/a.json': two, 'EXPECTED.json': key }), { disputes: [dispute] })
  expect(report.wires['one']).toMatchObject({ fields: 24, disagreeing: 0, disputed: 1 })
  expect(report.findings).toEqual([])
})

it('a disputed member that agrees after all is reported', async () => {
  const key = { 'one/a.json': [twoCallKey] }
  const report = await run(await folderWith({ 'one/a.json': two, 'EXPECTED.json': key }), { disputes: [dispute] })
  expect(report.findings.map(({ type }) => type)).toEqual(['stale-dispute'])
})

it('what cannot be read is a folder that does not exist', async () => {
  const error = await failure(run('/nowhere/at/all'))
  expect(error.code).toBe('unreadable-input')
  expect(error.message).toContain('/nowhere/at/all')
})

it.each([
  ['is broken JSON', '{"interactions": ['],
  ['is no recording', '{"name": "package"}'],
  ['has no `response`', '{"interactions": [{"request": null}]}'],
  ['has the status', '{"interactions": [{"response": {"status": "fine"}}]}'],
  ['has a header', '{"interactions": [{"response": {"headers": {"not a name": "x"}}}]}'],
])('what cannot be read is a file that %s, and its name is said', async (said, content) => {
  const error = await failure(run(await folderWith({ 'one/a.json': two, 'one/b.json': content })))
  expect(error.code).toBe('unreadable-input')
  expect(error.message).toContain('one/b.json')
  expect(error.message).toContain(said)
})

it('what cannot be read is a key that is broken or no key', async () => {
  const broken = await failure(run(await folderWith({ 'a.json': two, 'EXPECTED.json': '[' })))
  expect(broken.message).toContain('EXPECTED.json is broken JSON')
  const none = await failure(run(await folderWith({ 'a.json': two, 'EXPECTED.json': '{"a.json": 3}' })))
  expect(none.message).toContain('EXPECTED.json is no answer key')
})

it('what cannot be read is a folder without recordings, and a selection that fits none', async () => {
  expect((await failure(run(await folderWith({ 'INDEX.json': '{}' })))).code).toBe('unreadable-input')
  const error = await failure(run(await folderWith({ 'one/a.json': two }), { wire: 'two' }))
  expect(error.code).toBe('usage')
  expect(error.message).toContain('its folders: one')
})

it('the printed report shows each finding with what was expected, what came, and the command that repeats it', async () => {
  const key = { 'one/a.json': [{ ...twoCallKey, finish: 'stop' }] }
  const report = await run(await folderWith({ 'one/a.json': two, 'EXPECTED.json': key }))
  const text = printTraffic(report, { command: 'pnpm traffic ../mine' })
  expect(text).toContain('disagreement  one/a.json #0  finish\n  expected  "stop"\n  got       "tool-calls"')
  expect(text).toContain("repeat    pnpm traffic ../mine --file 'one/a.json'")
  expect(text).toContain('1 turn, 25 fields compared, 17 cuts: 1 finding.')
})

it('the printed report has colours only where they are asked for: red for what is wrong, green for a sum without findings', async () => {
  const wrong = { 'one/a.json': [{ ...twoCallKey, finish: 'stop' }] }
  const [bad, good] = await Promise.all(
    [wrong, { 'one/a.json': [twoCallKey] }].map(async (key) =>
      run(await folderWith({ 'one/a.json': two, 'EXPECTED.json': key })),
    ),
  )
  const coloured = { command: 'pnpm traffic', colours: true }
  expect(printTraffic(bad!, { command: 'pnpm traffic' })).not.toContain('\u001B')
  expect(printTraffic(bad!, coloured)).toContain('\u001B[31m1 turn, 25 fields compared, 17 cuts: 1 finding.')
  expect(printTraffic(bad!, coloured)).toContain(`\u001B[31m${'1'.padStart('disagree'.length)}\u001B`)
  expect(printTraffic(good!, coloured)).toContain('\u001B[32m1 turn')
})
