import {
  AdapterError,
  arrayOf,
  createChunkParser,
  isObject,
  malformed,
  numberOf,
  objectOf,
  readLogprobs,
  textOf,
  type ChunkPath,
  type FinishReason,
  type Frame,
  type JsonObject,
  type Origin,
  type TurnDecoder,
  type TurnEvent,
  type TurnRequest,
  type Usage,
} from '@steploop/core/adapter'
import { createItemDecoder, type ItemDecoder } from './decode-items.ts'
import { isMessage } from './decode-message.ts'
import { inBandError, isErrorEnvelope } from './errors.ts'
import { announcedIndex, continuedItem, finishedIndex, freeIndex, type OpenItem } from './find-item.ts'
import { callIdOf } from './hosted-items.ts'

/** One JSON answer. Throws for failed, cancelled and unfinished (background) responses: none of them is an answer. */
export function decodeWhole(json: unknown, request: TurnRequest, origin: Origin, out: TurnEvent[]): void {
  const body = objectOf(json)
  const { output } = body
  if (isErrorEnvelope(body)) throw inBandError(body, origin)
  if (!Array.isArray(output)) {
    throw malformed(origin, 'the response has no `output` list', JSON.stringify(json))
  }
  const answer = createAnswer(request, origin)
  answer.learn(body, out)
  answer.items.reasoningBeside(body['reasoning'], output, out)
  answer.finish(body, out)
  answer.end(out)
}

/** What is another in every event of a kind: a text, what it is padded with (docs/wire.md#padding), and a count. */
const changing: readonly ChunkPath[] = [['delta'], ['obfuscation'], ['sequence_number']]

/** A stream of events, told apart by the `type` in their data: some servers send no `event:` lines (docs/wire.md#no-event-lines). */
export function createStreamDecoder(request: TurnRequest, origin: Origin): TurnDecoder {
  const answer = createAnswer(request, origin)
  const parse = createChunkParser(changing, origin)
  return {
    push(frame: Frame, out: TurnEvent[]) {
      if (answer.finished() || frame.data === '' || frame.data === '[DONE]') return
      const event = objectOf(parse(frame.data))
      const type = String(textOf(event['type']) ?? frame.event)
      if (type === 'error' || (event['type'] === undefined && isErrorEnvelope(event))) throw inBandError(event, origin)
      if (isObject(event['response'])) answer.learn(event['response'], out)
      pushEvent(answer, type, event, out)
    },
    progress: () => (answer.finished() ? 'done' : 'open'),
    end(out: TurnEvent[]) {
      if (!answer.finished()) throw new AdapterError({ ...origin, code: 'incomplete-stream' })
      answer.end(out)
    },
  }
}

/** Unknown events are skipped: new ones come with every new tool. */
function pushEvent(answer: Answer, type: string, event: JsonObject, out: TurnEvent[]): void {
  const { items } = answer
  switch (type) {
    case 'response.output_text.delta':
    case 'response.refusal.delta': {
      const contentType = type === 'response.refusal.delta' ? 'refusal' : 'output_text'
      const open = answer.itemOf(event, 'message', out)
      return takesText(open) ? items.text(open, contentIndexOf(event), contentType, deltaOf(event), out) : undefined
    }
    case 'response.function_call_arguments.delta':
    case 'response.custom_tool_call_input.delta':
    case 'response.reasoning_summary_text.delta':
    case 'response.reasoning_text.delta':
      return items.delta(answer.itemOf(event, itemTypeOf(type), out), deltaOf(event), out)
    case 'response.content_part.added': {
      if (objectOf(event['part'])['type'] !== 'output_text') return
      const open = continuedItem(items.items, event) ?? answer.itemOf(event, 'message', out)
      // vLLM announces a part of text in its reasoning too.
      return takesText(open) ? items.announcePart(open, contentIndexOf(event), out) : undefined
    }
    case 'response.output_text.annotation.added': {
      const open = answer.itemOf(event, 'message', out)
      return takesText(open)
        ? items.annotation(open, contentIndexOf(event), objectOf(event['annotation']), out)
        : undefined
    }
    case 'response.function_call_arguments.done':
      return items.argumentsDone(answer.itemOf(event, 'function_call', out), event, out)
    case 'response.output_item.added':
      answer.begin(out)
      return void items.open(
        announcedIndex(items.items, event),
        objectOf(event['item']),
        out,
        numberOf(event['output_index']),
      )
    case 'response.output_item.done':
      answer.begin(out)
      return items.done(finishedIndex(items.items, event), objectOf(event['item']), out)
    case 'response.completed':
    case 'response.incomplete':
    case 'response.failed':
    case 'response.cancelled':
      return answer.finish(terminalResponse(type, objectOf(event['response'])), out)
  }
}

function takesText({ item, closed }: OpenItem): boolean {
  return !closed && isMessage(item)
}

/** The event says that the response is over, where a careless server's copy of the status does not; a status that says how it ended counts. */
function terminalResponse(type: string, response: JsonObject): JsonObject {
  const status = textOf(response['status']) ?? 'in_progress'
  const isOver = status !== 'in_progress' && status !== 'queued'
  return { ...response, status: isOver ? status : type.slice('response.'.length) }
}

function deltaOf(event: JsonObject): string {
  return textOf(event['delta']) ?? ''
}

function contentIndexOf(event: JsonObject): number {
  return numberOf(event['content_index']) ?? 0
}

/** What is known of the answer as a whole, in both modes. */
interface Answer {
  readonly items: ItemDecoder
  /** True once a terminal event came. */
  finished(): boolean
  begin(out: TurnEvent[]): void
  /** Takes id, model and usage from any response object; the first `turn-start` carries what is known then. */
  learn(response: JsonObject, out: TurnEvent[]): void
  /** The item of this type that an event continues, opened if its beginning never came. */
  itemOf(event: JsonObject, type: string, out: TurnEvent[]): OpenItem
  finish(response: JsonObject, out: TurnEvent[]): void
  end(out: TurnEvent[]): void
}

interface Facts {
  begun?: true
  id?: string | undefined
  model?: string | undefined
  usage?: Usage | undefined
  last?: JsonObject
}

function createAnswer(request: TurnRequest, origin: Origin): Answer {
  const items = createItemDecoder(request, origin)
  const facts: Facts = {}
  const begin = (out: TurnEvent[]): void => {
    if (!facts.begun) out.push({ type: 'turn-start', responseId: facts.id, model: facts.model })
    facts.begun = true
  }
  return {
    items,
    finished: () => facts.last !== undefined,
    begin,
    learn(response, out) {
      facts.id ??= textOf(response['id'])
      facts.model ??= textOf(response['model'])
      facts.usage = usageOf(response['usage']) ?? facts.usage
      begin(out)
    },
    itemOf(event, type, out) {
      const index = numberOf(event['output_index'])
      const newest = index === undefined ? items.items.inOrder.findLast(({ item }) => item['type'] === type) : undefined
      const known = continuedItem(items.items, event, type) ?? newest
      if (known !== undefined) return known
      begin(out)
      return items.open(freeIndex(items.items, index), { type }, out, index)
    },
    finish(response, out) {
      const status = response['status']
      if (status === 'failed' || isErrorEnvelope(response)) throw inBandError(response, origin)
      refuseUnfinished(response, origin)
      completeFrom(items, arrayOf(response['output']), out)
      items.end(out, status === 'incomplete')
      items.reasoningBeside(response['reasoning'], [], out)
      facts.last = response
    },
    end(out) {
      out.push(turnEnd(facts, items.clientCalls()))
    },
  }
}

function turnEnd(facts: Facts, clientCalls: boolean): TurnEvent {
  const { last = {}, usage, id: responseId, model } = facts
  const reason = textOf(objectOf(last['incomplete_details'])['reason'])
  const incomplete = last['status'] === 'incomplete'
  const contents = arrayOf(last['output']).flatMap((item) => arrayOf(objectOf(item)['content']))
  const logprobs = contents.flatMap((content) => readLogprobs(objectOf(content)['logprobs']))
  return {
    type: 'turn-end',
    finishReason: finishOf(incomplete, reason, clientCalls),
    rawFinishReason: reason ?? textOf(last['status']),
    usage,
    responseId,
    model,
    ...(logprobs.length > 0 && { logprobs }),
  }
}

/** The status says `completed` with and without calls: content decides, but a cut or a filter wins. */
function finishOf(incomplete: boolean, reason: string | undefined, clientCalls: boolean): FinishReason {
  if (incomplete && (reason === 'max_output_tokens' || reason === 'max_messages')) return 'length'
  if (incomplete && reason === 'content_filter') return 'content-filter'
  if (clientCalls) return 'tool-calls'
  return incomplete ? 'unknown' : 'stop'
}

function usageOf(given: unknown): Usage | undefined {
  if (!isObject(given)) return undefined
  const input = objectOf(given['input_tokens_details'])
  return {
    inputTokens: numberOf(given['input_tokens']),
    outputTokens: numberOf(given['output_tokens']),
    cachedInputTokens: numberOf(input['cached_tokens']),
    cacheWriteTokens: numberOf(input['cache_write_tokens']),
    reasoningTokens: numberOf(objectOf(given['output_tokens_details'])['reasoning_tokens']),
  }
}

/** A background response that is still queued or running is no answer, however well formed (docs/wire.md#responses-background). */
function refuseUnfinished(response: JsonObject, origin: Origin): void {
  const status = textOf(response['status'])
  const id = textOf(response['id'])
  const named = id === undefined ? 'the response' : `the response '${id}'`
  if (status === 'cancelled')
    throw new AdapterError({ ...origin, code: 'aborted', message: `${named} was cancelled at the provider` })
  if (status !== 'queued' && status !== 'in_progress') return
  const fix = `a turn is one request; leave out \`background\`, stream it, or fetch ${named} yourself`
  const message = `the response is still '${status}' (background mode), and polling is not supported: ${fix}`
  throw new AdapterError({ ...origin, code: 'unsupported', message })
}

/** The type of an item whose beginning never came, from the event that continues it. */
function itemTypeOf(eventType: string): string {
  if (eventType.startsWith('response.function_call')) return 'function_call'
  if (eventType.startsWith('response.custom_tool')) return 'custom_tool_call'
  return 'reasoning'
}

/**
 * The final response repeats the items. Those that the events finished are kept as they are (the two may be encrypted differently, and
 * clients send the events' back, docs/wire.md#responses-two-versions-of-an-item); it only completes what was left open or never announced.
 * Items whose ids have changed (docs/wire.md#responses-item-ids-that-change) are told by their type and order.
 */
function completeFrom(items: ItemDecoder, output: readonly unknown[], out: TurnEvent[]): void {
  const seen = items.items.inOrder.toSorted((one, other) => Number(other.closed ?? 0) - Number(one.closed ?? 0))
  const byId = queuesOf(seen, ({ item }) => callIdOf(item))
  const byType = queuesOf(seen, ({ item }) => item['type'])
  const taken = new Set<OpenItem>()
  const complete = (item: JsonObject, queue: OpenItem[] | undefined): boolean => {
    let open = queue?.pop()
    while (open !== undefined && taken.has(open)) open = queue?.pop()
    if (open === undefined) return false
    taken.add(open)
    items.done(open.index, item, out)
    return true
  }
  const unmatched: JsonObject[] = []
  for (const given of output) {
    const item = objectOf(given)
    const id = callIdOf(item)
    if (id === undefined || !complete(item, byId.get(id))) unmatched.push(item)
  }
  for (const item of unmatched) {
    if (!complete(item, byType.get(item['type']))) items.done(freeIndex(items.items), item, out)
  }
}

/** The items under each key; the first stands at the end, where taking it costs nothing. */
function queuesOf(items: readonly OpenItem[], keyOf: (open: OpenItem) => unknown): ReadonlyMap<unknown, OpenItem[]> {
  const queues = new Map<unknown, OpenItem[]>()
  for (const open of items.toReversed()) {
    const queue = queues.get(keyOf(open))
    if (queue === undefined) queues.set(keyOf(open), [open])
    else queue.push(open)
  }
  return queues
}
