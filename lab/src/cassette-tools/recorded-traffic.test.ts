import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { CassetteError, parseCassette, printCassette, type Cassette } from '@steploop/cassette'
import { cassetteFetch } from '@steploop/cassette/fetch'
import { inspectCassette } from '@steploop/cassette/inspect'
import { arrayOf, objectOf, textOf, type JsonObject } from '@steploop/core/adapter'
import { expect, test } from 'vitest'
import { exchangeViews } from './exchange-view.ts'
import { importRecording } from './import-recording.ts'
import { maskPaths } from './mask-paths.ts'
import type { ResponseView } from '@steploop/conformance/cli'

/** Recorded traffic beside the repository. It is no part of the project and may be missing. */
const folder = new URL('../../../../shared/real-traffic/', import.meta.url)
const note = existsSync(folder) ? '' : ' (no recorded traffic here: nothing was compared)'
const hasKey = existsSync(new URL('EXPECTED.json', folder))
const outOfScope = ['bedrock-converse', 'cohere', 'gemini-interactions', 'xai-grpc', 'LICENSES']

interface RecordedFile {
  readonly name: string
  readonly text: string
}

function recordedFiles(isWanted: (folderName: string) => boolean): readonly RecordedFile[] {
  if (note !== '') return []
  const folders = readdirSync(folder, { withFileTypes: true }).filter(
    (entry) => entry.isDirectory() && isWanted(entry.name),
  )
  return folders.flatMap(({ name }) =>
    readdirSync(new URL(`${name}/`, folder)).map((file) => ({
      name: `${name}/${file}`,
      text: readFileSync(new URL(`${name}/${file}`, folder), 'utf8'),
    })),
  )
}

/** The bytes that the file itself says came, read without the importer. */
function recordedBodies({ text }: RecordedFile): readonly string[] {
  return arrayOf(objectOf(JSON.parse(text))['interactions']).map((one) => {
    const { sse, body } = objectOf(objectOf(one)['response'])
    if (typeof sse === 'string') return sse
    if (body === undefined || body === null) return ''
    return typeof body === 'string' ? body : JSON.stringify(body)
  })
}

const imported = ({ name, text }: RecordedFile, mask: readonly string[] = []): Cassette =>
  importRecording({ text, file: name, scenario: name.slice(name.indexOf('/') + 1), mask }).cassette

/** The bodies that a client gets who sends exactly the recorded requests, from the file as it would be written. */
async function replayedBodies(printed: string, name: string): Promise<readonly string[]> {
  const cassette = parseCassette(printed, name)
  const replay = cassetteFetch(cassette)
  const bodies: string[] = []
  for (const { request } of cassette.exchanges) {
    const { method, url, headers } = request
    const body = request.body.length === 0 ? null : new Uint8Array(request.body)
    bodies.push(await (await replay(url, { method, headers, body })).text())
  }
  replay.replay.assertConsumed()
  return bodies
}

const rulesOf = (printed: string): string[] => {
  const { problems } = inspectCassette(new TextEncoder().encode(printed), 'import.yaml', { env: {} })
  return problems.map(({ rule, message }) => `${rule}: ${message.split(' in ')[0]}`)
}

/** What is wrong with the import of one file; undefined: nothing. */
async function faultOf(file: RecordedFile, printed: string, isMasked: boolean): Promise<string | undefined> {
  const rules = rulesOf(printed)
  if (rules.length > 0) return rules.join(', ')
  const bodies = await replayedBodies(printed, file.name)
  const recorded = recordedBodies(file)
  if (bodies.length !== recorded.length) return `${bodies.length} of ${recorded.length} exchanges`
  const wrong = bodies.findIndex((body, index) => !isSame(body, recorded[index] ?? '', isMasked))
  return wrong === -1 ? undefined : `another body in exchange ${wrong + 1}`
}

/** Byte by byte; masking keeps lengths, and replaces characters by asterisks only. */
function isSame(body: string, recorded: string, isMasked: boolean): boolean {
  if (!isMasked) return body === recorded
  const encoder = new TextEncoder()
  const whole = encoder.encode(recorded)
  const got = encoder.encode(body)
  return got.length === whole.length && got.every((byte, index) => byte === whole[index] || byte === 0x2a)
}

const print = (line: string): void => void process.stdout.write(`recorded traffic: ${line}\n`)

test(
  `every recording in scope is imported, replays byte by byte, and passes the check${note}`,
  { timeout: 240_000 },
  async () => {
    const files = recordedFiles((name) => !outOfScope.includes(name))
    const faults: string[] = []
    const masked: string[] = []
    let exchanges = 0
    for (const file of files) {
      const cassette = imported(file)
      exchanges += cassette.exchanges.length
      const printed = printCassette(cassette)
      const rules = rulesOf(printed)
      const hasAddress = rules.length > 0 && rules.every((rule) => rule === 'secret: e-mail')
      if (hasAddress) masked.push(file.name)
      // Pages that a provider fetched hold addresses of real people: their fields are masked, and nothing else is.
      const stored = hasAddress ? printCassette(imported(file, maskPaths(cassette))) : printed
      const fault = await faultOf(file, stored, hasAddress)
      if (fault !== undefined) faults.push(`${file.name}: ${fault}`)
    }
    print(`imported ${files.length} files, ${exchanges} exchanges; masked: ${masked.join(', ')}`)
    expect(faults).toEqual([])
    expect(exchanges > 0).toBe(note === '')
  },
)

test(
  `what is no HTTP body is refused with the reason, and other formats are imported unread${note}`,
  { timeout: 60_000 },
  () => {
    const files = recordedFiles((name) => outOfScope.includes(name) && name !== 'LICENSES')
    const refused = files.flatMap((file) => {
      try {
        imported(file)
        return []
      } catch (error) {
        if (CassetteError.isInstance(error)) return [`${file.name.split('/')[0]}: ${error.message}`]
        throw error
      }
    })
    print(`out of scope ${files.length} files, ${refused.length} refused`)
    expect(
      refused.filter((line) => !/^(xai-grpc|bedrock-converse): .*is no recorded session of HTTP/.test(line)),
    ).toEqual([])
  },
)

interface Reading {
  readonly text: string
  readonly reasoning: string
  readonly refusal: string | undefined
  readonly calls: readonly string[]
  readonly id: string | undefined
  readonly model: string | undefined
}

function readingOf(view: ResponseView | undefined): Reading {
  const texts = (type: string): string =>
    (view?.parts ?? []).map((part) => (part.type === type && 'text' in part ? part.text : '')).join('')
  return {
    text: texts('text'),
    reasoning: texts('reasoning'),
    refusal: textOf(texts('refusal')),
    calls: (view?.parts ?? []).flatMap((part) => (part.type === 'call' ? [part.toolName] : [])),
    id: view?.id,
    model: view?.model,
  }
}

/** What the answer key says, for the calls that the caller answers: those of the provider have several readings. */
function keyReading(entry: JsonObject): Reading {
  const calls = arrayOf(entry['toolCalls']).map((call) => objectOf(call))
  return {
    text: String(entry['text']),
    reasoning: String(entry['reasoningText']),
    refusal: textOf(entry['refusal']),
    calls: calls.flatMap(({ owner, name }) => (owner === 'client' && name !== 'UNDECIDED' ? [String(name)] : [])),
    id: textOf(entry['responseId']),
    model: textOf(entry['responseModel']),
  }
}

/** Members of which the key says that more than one reading can be defended. */
function undecided(reading: Reading): Partial<Reading> {
  return Object.fromEntries(Object.entries(reading).filter(([, value]) => value === 'UNDECIDED'))
}

test(`what show reads in a response agrees with the answer key${note}`, { timeout: 240_000 }, () => {
  const key = hasKey ? objectOf(JSON.parse(readFileSync(new URL('EXPECTED.json', folder), 'utf8'))) : {}
  let turns = 0
  const inScope = Object.entries(key).filter(([name]) => !outOfScope.includes(name.split('/')[0] ?? ''))
  for (const [name, entries] of inScope) {
    const views = exchangeViews(imported({ name, text: readFileSync(new URL(name, folder), 'utf8') }))
    for (const [index, value] of arrayOf(entries).entries()) {
      const entry = objectOf(value)
      if (value === null || entry['toolCalls'] === 'UNDECIDED') continue
      const expected = keyReading(entry)
      const reading = { ...readingOf(views[index]?.response), ...undecided(expected) }
      const calls = reading.calls.filter((call) => expected.calls.includes(call))
      expect({ name, index, ...reading, calls }).toEqual({ name, index, ...expected })
      turns += 1
    }
  }
  print(`responses read ${turns}`)
  expect(turns > 0).toBe(hasKey)
})
