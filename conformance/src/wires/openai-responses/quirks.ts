import { objectOf, type JsonObject } from '@steploop/core/adapter'
import { leaveOut } from '../simulate/leave-out.ts'
import type { WireQuirk } from '../variants/quirk.ts'
import { answers, bodies, both, eachObject, events, perMode, requests, responses } from '../variants/recipe.ts'

const streamed = ['openai-responses/openai/stream']
const always = ['openai-responses/openai']

const noEventLines: WireQuirk = {
  of: 'parallel-calls',
  id: 'responses-no-event-lines',
  title: 'A Responses stream without `event:` lines, and with [DONE] at its end.',
  at: streamed,
  recipe: 'no `event:` lines, `[DONE]` at the end (docs/wire.md#no-event-lines, OpenRouter)',
  change: responses((text) => `${text.replaceAll(/^event: .*\n/gm, '')}data: [DONE]\n\n`),
}

const dataFirst: WireQuirk = {
  of: 'text-then-call',
  id: 'responses-data-first',
  title: 'A Responses stream whose events have their name after their data.',
  at: streamed,
  recipe: '`data:` before `event:` (docs/wire.md#data-before-its-event-line, Bedrock Mantle)',
  change: responses((text) => text.replaceAll(/^(event: .*)\n(data: .*)$/gm, '$2\n$1')),
}

const noLastBlankLine: WireQuirk = {
  of: 'single-call',
  id: 'responses-no-last-blank-line',
  title: 'A Responses stream that ends right after its last event.',
  at: streamed,
  recipe: 'the last blank line is missing (docs/wire.md#the-last-blank-line)',
  change: responses((text) => text.trimEnd()),
}

const queuedFirst: WireQuirk = {
  of: 'text-only',
  id: 'responses-queued-first',
  title: 'A resumed Responses stream: it begins with `response.queued`, not with `response.created`.',
  at: streamed,
  recipe: '`response.queued` in place of `response.created` (docs/wire.md#responses-how-a-stream-ends)',
  change: events((event) => {
    if (event['type'] !== 'response.created') return [event]
    return [{ ...event, type: 'response.queued', response: { ...objectOf(event['response']), status: 'queued' } }]
  }),
}

const noSequence: WireQuirk = {
  of: 'text-only',
  id: 'responses-no-sequence-numbers',
  title: 'A Responses stream without sequence numbers.',
  at: streamed,
  recipe: 'no `sequence_number` (docs/wire.md#responses-sequence-numbers)',
  change: events((event) => [leaveOut(event, ['sequence_number'])]),
}

const argumentsAtOnce: WireQuirk = {
  of: 'parallel-calls',
  id: 'responses-arguments-at-once',
  title: 'Arguments that never stream: they come whole with `done`.',
  at: streamed,
  recipe: 'no `function_call_arguments.delta` (docs/wire.md#responses-arguments-without-deltas, LM Studio)',
  change: events((event) => (event['type'] === 'response.function_call_arguments.delta' ? [] : [event])),
}

/** Another id wherever an item is spoken of before it is done. */
function rotated(event: JsonObject, index: number): JsonObject {
  if (typeof event['item_id'] === 'string') return { ...event, item_id: `${event['item_id']}r${index}` }
  if (event['type'] !== 'response.output_item.added') return event
  const item = objectOf(event['item'])
  return { ...event, item: { ...item, id: `${String(item['id'])}r${index}` } }
}

const rotatingIds: WireQuirk = {
  of: 'parallel-calls',
  id: 'responses-rotating-ids',
  title: 'Items whose id is another in each event: only their index tells them apart.',
  at: streamed,
  recipe: 'another item id in every event before `done` (docs/wire.md#responses-item-ids-that-change, GitHub Copilot)',
  change: events((event, { index }) => [rotated(event, index)]),
}

/** The end of the first item comes after the second one was added. */
function interleave(text: string): string {
  const blocks = text.split('\n\n')
  const done = blocks.findIndex((block) => block.startsWith('event: response.output_item.done'))
  const added = blocks.findLastIndex((block) => block.startsWith('event: response.output_item.added'))
  const end = blocks[done]
  return done === -1 || added < done || end === undefined
    ? text
    : blocks
        .toSpliced(added + 1, 0, end)
        .toSpliced(done, 1)
        .join('\n\n')
}

const interleaved: WireQuirk = {
  of: 'reasoning-text',
  id: 'responses-interleaved-items',
  title: 'The thought is done only after the message has begun.',
  at: streamed,
  recipe: 'item 0 is done after item 1 was added (docs/wire.md#responses-interleaved-items)',
  change: responses(interleave),
}

/** Neither a summary, nor content, nor anything encrypted. */
function emptyReasoning(value: JsonObject): JsonObject {
  return eachObject(value, (object) =>
    object['type'] === 'reasoning' ? leaveOut({ ...object, summary: [] }, ['encrypted_content']) : object,
  )
}

const emptyReasoningItems: WireQuirk = {
  of: 'reasoning-replay',
  id: 'responses-empty-reasoning',
  title: 'A reasoning item that holds nothing goes back all the same.',
  at: always,
  recipe:
    'reasoning items without summary and encrypted content, there and back (docs/wire.md#responses-empty-reasoning, docs/wire.md#histories-that-are-refused)',
  change: both(requests(emptyReasoning), answers(emptyReasoning)),
}

const doneDiffers: WireQuirk = {
  of: 'reasoning-replay',
  id: 'responses-done-differs',
  title: 'An item that is sealed in one way when it is done, and in another when all is: the first one goes back.',
  at: streamed,
  recipe:
    'other `encrypted_content` in `response.completed` than in `output_item.done` (docs/wire.md#responses-two-versions-of-an-item)',
  change: events((event) => {
    if (event['type'] !== 'response.completed') return [event]
    const again = (object: JsonObject): JsonObject =>
      object['type'] === 'reasoning' ? { ...object, encrypted_content: 'gAAAAABsealedAgain51a0' } : object
    return [eachObject(event, again)]
  }),
}

/** Members that the API gives to calls of some programs; they have to come back. */
function withCaller(value: JsonObject): JsonObject {
  return eachObject(value, (object) =>
    object['type'] === 'function_call' ? { ...object, namespace: 'wetter', caller: { type: 'direct' } } : object,
  )
}

const extraFields: WireQuirk = {
  of: 'parallel-calls',
  id: 'responses-extra-call-fields',
  title: 'New members of a function call come back unchanged.',
  at: always,
  recipe: '`namespace` and `caller` on function calls, there and back (docs/wire.md#responses-fields-of-calls)',
  change: both(
    requests((body, exchange) => (exchange === 0 ? body : withCaller(body))),
    answers(withCaller),
  ),
}

/** The message beside the call is a commentary, the last one is the answer. */
function withPhase(phase: string) {
  return (value: JsonObject): JsonObject =>
    // What is sent back may leave out the type of a message.
    eachObject(value, (object) =>
      (object['type'] ?? 'message') === 'message' && object['role'] === 'assistant' ? { ...object, phase } : object,
    )
}

const phases = ['commentary', 'final_answer'] as const

const commentary: WireQuirk = {
  of: 'text-then-call',
  id: 'responses-commentary',
  title: 'A text beside a call is marked as a commentary, and comes back with its mark.',
  at: always,
  recipe: '`phase` on messages, there and back (docs/wire.md#responses-phases)',
  change: both(
    requests((body) => withPhase('commentary')(body)),
    perMode(
      bodies((body, exchange) => withPhase(phases[exchange] ?? 'final_answer')(body)),
      events((event, { exchange }) => [withPhase(phases[exchange] ?? 'final_answer')(event)]),
    ),
  ),
}

/** https://platform.openai.com/docs/api-reference/responses-streaming, as servers bend it. */
export const openaiResponsesQuirks: readonly WireQuirk[] = [
  noEventLines,
  dataFirst,
  noLastBlankLine,
  queuedFirst,
  noSequence,
  argumentsAtOnce,
  rotatingIds,
  interleaved,
  emptyReasoningItems,
  doneDiffers,
  extraFields,
  commentary,
]
