import { readFileSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import type { Subject } from '@steploop/conformance'
import { parseRecording, type Interaction } from '@steploop/conformance/cli'
import { providerTool, type Adapter } from '@steploop/core'
import { isObject, objectOf, type JsonObject } from '@steploop/core/adapter'
import { createServer, providerTools } from '@steploop/server'
import { memoryStore } from '@steploop/store'

/** A response as a client sees it: the items of its output, and the types of its events in order. */
interface Seen {
  readonly status: unknown
  readonly output: readonly JsonObject[]
  readonly events: readonly string[]
  readonly id: string | undefined
  readonly response: JsonObject
  /** Items as the stream told them: OpenAI encrypts an item anew each time that it shows it. */
  readonly done: readonly JsonObject[]
}

/**
 * Sends the requests of a recorded session of the Responses API to our server, ids mapped. The model behind it says what was recorded. Gives what
 * differs, in words.
 */
export async function replaySession(file: string, openai: Subject): Promise<readonly string[]> {
  const { interactions } = parseRecording(readFileSync(file, 'utf8'), file)
  const server = createServer({
    models: { m: recordedModel(openai, interactions) },
    store: memoryStore(),
    loop: { maxRetries: 0 },
    executors: [
      providerTools({ tool: (definition, provider) => providerTool({ provider, name: definition.type, definition }) }),
    ],
  })
  const ask: Ask = async (method, path, body) => {
    const init = { method, ...(body !== undefined && { body: JSON.stringify(body) }) }
    return server.fetch(new Request(`http://127.0.0.1/v1${path}`, init))
  }
  const ids = new Map<string, unknown>()
  const differences: string[] = []
  for (const interaction of interactions) {
    const { request, index } = interaction
    if (request === undefined) continue
    const expected = seenIn(textOf(interaction))
    const got = await send(request, { ids, ask, until: expected.status })
    learn(ids, expected, got)
    const isUnderWay = request.method === 'GET' && expected.status !== 'completed'
    const found = interaction.response.status >= 400 || isUnderWay ? [] : compared(expected, got)
    differences.push(...found.map((difference) => `#${index}: ${difference}`))
    if (String(got.status).startsWith('refused')) break
  }
  return differences
}

type Ask = (method: string, path: string, body?: JsonObject) => Promise<Response>

interface Sending {
  readonly ids: Map<string, unknown>
  readonly ask: Ask
  /** The recorded status: a response that is read is read until it has it. */
  readonly until: unknown
}

async function send(
  { method, url, body }: NonNullable<Interaction['request']>,
  { ids, ask, until }: Sending,
): Promise<Seen> {
  const { pathname, search } = new URL(url)
  const [, path = ''] = /(\/responses.*)$/.exec(pathname) ?? []
  if (method === 'POST' && isObject(body)) {
    const { conversation } = body
    if (typeof conversation === 'string' && !ids.has(conversation)) {
      ids.set(conversation, seenIn(await (await ask('POST', '/conversations', {})).text()).id)
    }
    return seenIn(await (await ask(method, path, { ...objectOf(mapped(body, ids)), model: 'm' })).text())
  }
  const ours = path.replaceAll(/resp_\w+/g, (id) => String(ids.get(id)))
  for (;;) {
    const seen = seenIn(await (await ask(method, `${ours}${search}`)).text())
    if (until !== 'completed' || !['queued', 'in_progress'].includes(String(seen.status))) return seen
    await setTimeout(5)
  }
}

function mapped(value: unknown, ids: ReadonlyMap<string, unknown>): unknown {
  if (typeof value === 'string') return ids.has(value) ? ids.get(value) : value
  if (Array.isArray(value)) return value.map((member) => mapped(member, ids))
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, mapped(member, ids)]))
}

/** Says one recorded answer after the other. Of a response that runs in the background, that is what it was in the end. */
function recordedModel(openai: Subject, interactions: readonly Interaction[]): Adapter {
  const ends = new Map<unknown, string>()
  for (const interaction of interactions) {
    const { id, response, output, done } = seenIn(textOf(interaction))
    // Some servers leave the items out of the last event.
    ends.set(id, JSON.stringify(output.length > 0 || done.length === 0 ? response : { ...response, output: done }))
  }
  const answers = interactions.filter(({ request }) => request?.method === 'POST')
  let next = 0
  const fetch = async (): Promise<Response> => {
    const interaction = answers[next++]
    if (interaction === undefined) return new Response('{}', { status: 400 })
    const { id } = seenIn(textOf(interaction))
    const { status } = interaction.response
    return new Response(ends.get(id) ?? textOf(interaction), {
      status,
      headers: { 'content-type': 'application/json' },
    })
  }
  const adapter = openai.adapter({ fetch, apiKey: 'recorded-traffic' })
  return { ...adapter, turn: (request, options) => adapter.turn(request, { ...options, mode: 'generate' }) }
}

function textOf({ response }: Interaction): string {
  return new TextDecoder().decode(response.bytes)
}

/** A response, or a stream of one. */
function seenIn(text: string): Seen {
  const isStream = /^(event|data):/.test(text)
  const events = isStream
    ? text.split(/\r?\n/).flatMap((line) => (/^data: *\{/.test(line) ? [objectOf(JSON.parse(line.slice(5)))] : []))
    : []
  const response = isStream
    ? objectOf(events.findLast((event) => isObject(event['response']))?.['response'])
    : parsed(text)
  const { id, status = 'refused', output } = response
  return {
    id: typeof id === 'string' ? id : undefined,
    status: status === 'refused' ? `refused: ${text.slice(0, 300)}` : status,
    output: Array.isArray(output) ? output.filter(isObject) : [],
    events: perItem(events),
    response,
    done: events.filter(({ type }) => type === 'response.output_item.done').map(({ item }) => objectOf(item)),
  }
}

/** The types of events of the response, and of each item: items may interleave. Pieces of one text are one. */
function perItem(events: readonly JsonObject[]): readonly string[] {
  const kinds = Map.groupBy(events, (event) => event['output_index'])
  return [...kinds.values()].map((list) => {
    const types = list.map(({ type }) => String(type).replace('response.', ''))
    const first = objectOf(list[0]?.['item'])['type']
    // How many parts a summary has is the model's own affair.
    const shown = first === 'reasoning' ? types.filter((type) => type.startsWith('output_item')) : types
    return shown.filter((type, index) => !type.endsWith('delta') || shown[index - 1] !== type).join(' ')
  })
}

function parsed(text: string): JsonObject {
  try {
    return objectOf(JSON.parse(text))
  } catch {
    return {}
  }
}

/** Our ids for those of the recording. */
function learn(ids: Map<string, unknown>, expected: Seen, got: Seen): void {
  if (expected.id !== undefined) ids.set(expected.id, got.id)
  const ours = withoutCarriers(expected.output, got.output)
  for (const [index, { id, encrypted_content: sealed }] of expected.output.entries()) {
    const again = expected.done.find((item) => item['id'] === id)?.['encrypted_content']
    if (typeof id === 'string') ids.set(id, ours[index]?.['id'])
    for (const text of [sealed, again])
      if (typeof text === 'string') ids.set(text, ours[index]?.['encrypted_content'] ?? null)
  }
}

/** A turn without reasoning of the model's has an item of reasoning here, where the client asks for the state of the turn. */
function withoutCarriers(expected: readonly JsonObject[], got: readonly JsonObject[]): readonly JsonObject[] {
  const isExpected = expected.some(({ type }) => type === 'reasoning')
  return isExpected ? got : got.filter(({ type }) => type !== 'reasoning')
}

const carrier = 'output_item.added output_item.done'

function compared(expected: Seen, got: Seen): readonly string[] {
  const isExpected = expected.output.some(({ type }) => type === 'reasoning')
  const wanted = (expected.output.length > 0 ? expected.output : expected.done).map(reported)
  const said = withoutCarriers(expected.output, got.output).map(reported)
  const facts: readonly (readonly [string, unknown, unknown])[] = [
    ['status', expected.status, got.status],
    ['items', wanted, said],
    ['events', expected.events, isExpected ? got.events : got.events.filter((types) => types !== carrier)],
  ]
  return facts.flatMap(([name, one, other]) => {
    const [theirs, ours] = [JSON.stringify(one), JSON.stringify(other)]
    return theirs === ours ? [] : [`${name}: recorded ${theirs}, ours ${ours}`]
  })
}

/** What has to agree of an item: not its id, and not what a model without it leaves out. */
function reported(item: JsonObject): JsonObject {
  const { type, status, name, call_id, arguments: input, role, content, summary, action } = item
  const texts = (parts: unknown) =>
    (Array.isArray(parts) ? parts.filter(isObject) : []).map((part) => part['text'] ?? part['refusal'])
  return {
    type,
    ...(type !== 'reasoning' && { status }),
    name,
    call_id,
    input,
    role,
    ...(type === 'message' && { content: texts(content) }),
    ...(type === 'reasoning' && { summary: texts(isEmpty(summary) ? content : summary).join('') }),
    ...(type === 'web_search_call' && { query: objectOf(action)['query'] }),
  }
}

function isEmpty(list: unknown): boolean {
  return !Array.isArray(list) || list.length === 0
}
