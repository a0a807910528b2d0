import { isDeepStrictEqual } from 'node:util'
import { anthropicMessages } from '@steploop/anthropic'
import {
  AdapterError,
  arrayOf,
  isObject,
  objectOf,
  type JsonObject,
  type Message,
  type TurnEvent,
  type TurnRequest,
  type WireFormat,
} from '@steploop/core/adapter'
import { decodeEvents } from '@steploop/core/testing'
import { geminiGenerate } from '@steploop/gemini'
import { openaiResponses } from '@steploop/openai'
import { families, type Family } from './families.ts'
import { brokenBy, type Violation } from './judge.ts'
import { samplesOf, type Sample } from './sample.ts'
import type { Sources } from './sources.ts'

/** What became of the made instances. */
export interface MadeReport {
  readonly instances: number
  /** What was thrown, lost, changed or sent back wrongly: `made · sdk/openai OutputItem · compaction: throws ...`. */
  readonly faults: readonly Violation[]
}

/** How instances of one schema come in, and where they go back. */
interface Probe {
  readonly family: string
  readonly specification: string
  readonly schema: string
  readonly wire: WireFormat
  /** Whole answers and streams that hold the instance. */
  readonly bodies?: ((instance: JsonObject) => JsonObject) | undefined
  readonly events: (instance: JsonObject) => readonly JsonObject[]
  /** What the next request holds in its place; `undefined`: such instances do not go back. */
  readonly replayed?: ((request: JsonObject) => readonly unknown[]) | undefined
  /** What the request's form of an instance is. */
  readonly expected?: ((instance: JsonObject) => JsonObject) | undefined
}

/** Makes instances of every item, block, part and event, has the adapters read them, and judges the next request. */
export function tryMade(sources: Sources, exempted: ReadonlySet<string>): MadeReport {
  let instances = 0
  const faults = new Map<string, { count: number; location: string }>()
  for (const probe of probes) {
    const specification = sources.specifications.get(probe.specification)
    const family = families.find(({ name }) => name === probe.family)
    if (specification === undefined || family === undefined) continue
    const samples = [...samplesOf(probe.schema, specification.schemas)]
    instances += samples.length
    const found = samples.flatMap((sample) =>
      faultsOf(sample, probe, { family, sources, exempted }).map((fault) => ({ sample, fault })),
    )
    for (const { sample, fault } of found) {
      const rule = `made · ${probe.specification} ${probe.schema} · ${sample.kind}: ${fault}`
      const { count, location } = faults.get(rule) ?? { count: 0, location: JSON.stringify(sample.json).slice(0, 200) }
      faults.set(rule, { count: count + 1, location })
    }
  }
  return { instances, faults: [...faults].map(([rule, facts]) => ({ rule, ...facts })) }
}

interface Judging {
  readonly family: Family
  readonly sources: Sources
  readonly exempted: ReadonlySet<string>
}

const user: Message = { role: 'user', content: 'Go on.' }
const request: TurnRequest = { messages: [user], turn: 0 }

function faultsOf({ json }: Sample, probe: Probe, judging: Judging): readonly string[] {
  const { wire, bodies } = probe
  const stream = (out: TurnEvent[]): void => {
    const decoder = wire.createDecoder(request)
    for (const event of probe.events(json)) decoder.push({ data: JSON.stringify(event) }, out)
    decoder.end(out)
  }
  const ways = [
    stream,
    ...(bodies === undefined ? [] : [(out: TurnEvent[]) => wire.decode(bodies(json), request, out)]),
  ]
  const faults = ways.flatMap((decode) => {
    const { turn, error } = decodeEvents(decode, origin)
    if (error !== undefined)
      return isProviderFailure(error) ? [] : [`throws ${error instanceof Error ? error.message : 'what is no error'}`]
    return probe.replayed === undefined ? [] : nextFaults(json, turn.message, probe, judging)
  })
  return [...new Set(faults)]
}

/** Events that report a failure make one; anything else thrown is a mistake of the decoder. */
function isProviderFailure(error: unknown): boolean {
  return AdapterError.isInstance(error) && error.code !== 'malformed-response'
}

function nextFaults(
  json: JsonObject,
  answer: Message,
  probe: Probe,
  { family, sources, exempted }: Judging,
): readonly string[] {
  const { body } = probe.wire.encode({ messages: [user, answer, user], turn: 1 }, 'generate')
  const next = objectOf(typeof body === 'string' ? JSON.parse(body) : body)
  const expected = probe.expected?.(json) ?? json
  const sent = probe.replayed?.(next) ?? []
  const isReplayed = saysNothing(expected) || sent.some((item) => isDeepStrictEqual(item, expected))
  const rules = brokenBy({ family: newest(family, probe), kind: 'request', json: next }, sources).filter(
    (rule) => !exempted.has(rule),
  )
  return [...(isReplayed ? [] : ['goes back changed, or not at all']), ...rules]
}

/** An empty message or part is nothing that could go back. */
function saysNothing(instance: JsonObject): boolean {
  const { content } = instance
  return (
    Object.keys(instance).length === 0 ||
    (instance['type'] === 'message' && Array.isArray(content) && content.length === 0)
  )
}

/** OpenAI tells in answers only who made an item, and takes no status of these. */
function withoutOutputOnly({ created_by: _author, ...item }: JsonObject): JsonObject {
  const { status: _status, ...rest } = item
  const isPlain = ['reasoning', 'function_call', 'custom_tool_call', 'custom_tool_call_output'].includes(
    String(item['type']),
  )
  const kept = isPlain ? rest : item
  const { output } = kept
  return Array.isArray(output) ? { ...kept, output: output.map((chunk) => without(chunk, 'created_by')) } : kept
}

/** Anthropic names the file of a citation in answers only. No citations are the same as none. */
function withoutFiles(block: JsonObject): JsonObject {
  const { citations, ...rest } = block
  const kept = arrayOf(citations).map((citation) => without(citation, 'file_id'))
  const { content } = rest
  return {
    ...(block['type'] === 'text' && kept.length === 0 ? rest : block),
    ...(kept.length > 0 && { citations: kept }),
    ...(Array.isArray(content) && {
      content: content.map((inner: unknown) => (isObject(inner) ? withoutFiles(inner) : inner)),
    }),
  }
}

function without(value: unknown, name: string): unknown {
  if (!isObject(value)) return value
  const { [name]: _left, ...rest } = value
  return rest
}

/** Older specifications do not know yet what the newest one has. */
function newest(family: Family, { specification }: Probe): Family {
  return { ...family, specifications: family.specifications.filter((roots) => roots.specification === specification) }
}

const origin = { provider: 'made', model: 'made-model' }
const openai = {
  specification: 'sdk/openai',
  family: 'openai responses',
  wire: openaiResponses({ ...origin, reasoning: true }),
}
const anthropic = { specification: 'sdk/anthropic', family: 'anthropic', wire: anthropicMessages(origin) }

const namedCall = {
  type: 'response.output_item.done',
  output_index: 1,
  item: { type: 'function_call', id: 'made item_id', call_id: 'call_1', name: 'made_tool', arguments: '' },
}
const response = { id: 'resp_1', object: 'response', status: 'completed', model: 'made-model', output: [] as unknown[] }
/** Reasoning goes back only with what came after it. */
const answerMessage = {
  id: 'msg_2',
  type: 'message',
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text: 'Yes.', annotations: [] }],
}
const message = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'made-model',
  content: [] as unknown[],
  usage: {},
}
const messageEnd = [
  { type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: {} },
  { type: 'message_stop' },
]

const probes: readonly Probe[] = [
  {
    ...openai,
    schema: 'OutputItem',
    bodies: (item) => ({ ...response, output: [item, answerMessage] }),
    events: (item) => [
      { type: 'response.created', response: { ...response, status: 'in_progress' } },
      { type: 'response.output_item.added', output_index: 0, item },
      { type: 'response.output_item.done', output_index: 0, item },
      { type: 'response.output_item.done', output_index: 1, item: answerMessage },
      { type: 'response.completed', response: { ...response, output: [item, answerMessage] } },
    ],
    replayed: (next) => arrayOf(next['input']),
    expected: withoutOutputOnly,
  },
  {
    ...openai,
    schema: 'ResponsesEvent',
    events: (event) => [
      { type: 'response.created', response: { ...response, status: 'in_progress' } },
      event,
      // Arguments are those of a call, which its item alone names: here when it is done.
      ...(String(event['type']).startsWith('response.function_call_arguments.') ? [namedCall] : []),
      { type: 'response.completed', response },
    ],
  },
  {
    ...anthropic,
    schema: 'Block',
    bodies: (block) => ({ ...message, content: [block], stop_reason: 'end_turn' }),
    events: (block) => [
      { type: 'message_start', message },
      { type: 'content_block_start', index: 0, content_block: block },
      { type: 'content_block_stop', index: 0 },
      ...messageEnd,
    ],
    replayed: (next) => arrayOf(next['messages']).flatMap((one) => arrayOf(objectOf(one)['content'])),
    expected: withoutFiles,
  },
  {
    ...anthropic,
    schema: 'Event',
    events: (event) => [{ type: 'message_start', message }, event, ...messageEnd],
  },
  {
    specification: 'gemini-discovery-openapi',
    family: 'gemini',
    wire: geminiGenerate(origin),
    schema: 'Part',
    bodies: (part) => ({ candidates: [{ content: { role: 'model', parts: [part] }, finishReason: 'STOP' }] }),
    events: (part) => [{ candidates: [{ content: { role: 'model', parts: [part] }, finishReason: 'STOP' }] }],
    replayed: (next) => arrayOf(next['contents']).flatMap((one) => arrayOf(objectOf(one)['parts'])),
  },
]

/** Specifications, and the schemas of which instances are made. */
export const probed = probes.map(({ specification, schema }) => [specification, [schema]] as const)
