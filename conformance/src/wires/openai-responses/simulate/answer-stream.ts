import type { ScriptedAnswer } from '../../../script.ts'
import { objectAt, objectsAt } from '../../simulate/fields.ts'
import { obfuscation, pieces } from '../../simulate/pieces.ts'
import { namedEvent } from '../../simulate/sse.ts'
import type { AnswerContext, JsonObject, Rejection, StreamedAnswer } from '../../simulate/wire-simulation.ts'
import { finishedResponse, incompleteReason, outputOf, type OutputItem } from './answer.ts'
import { emptyHostedItem, hostedEvents } from './hosted-item.ts'
import { responseObject } from './response-object.ts'

type Event = JsonObject & { readonly type: string }

/** https://platform.openai.com/docs/api-reference/responses-streaming */
export function answerStream(answer: ScriptedAnswer, context: AnswerContext): StreamedAnswer {
  const output = outputOf(answer, context)
  const type = incompleteReason(answer) === undefined ? 'response.completed' : 'response.incomplete'
  const events = [
    ...openingEvents(context),
    ...output.flatMap(itemEvents),
    { type, response: finishedResponse(answer, context, output) },
  ]
  return { frames: printAll(events, context), terminal: events.length - 1 }
}

/** One fault, two events: `error`, then `response.failed` with a shorter copy (docs/wire.md#errors-inside-a-200). */
export function failureStream(refusal: Rejection, before: ScriptedAnswer, context: AnswerContext): readonly string[] {
  const { type, code = null, message, param = null } = refusal
  const output = outputOf(before, context)
  const events = [
    ...openingEvents(context),
    ...output.flatMap(itemEvents),
    { type: 'error', error: { type, code, message, param } },
    { type: 'response.failed', response: failedResponse(refusal, context, output) },
  ]
  return printAll(events, context)
}

/** A response that failed after it was accepted. */
export function failedResponse(refusal: Rejection, context: AnswerContext, output: readonly OutputItem[]): JsonObject {
  const error = { code: refusal.code ?? refusal.type, message: refusal.message }
  return responseObject(context, { status: 'failed', error, output })
}

function openingEvents(context: AnswerContext): readonly Event[] {
  const response = responseObject(context, {})
  return [
    { type: 'response.created', response },
    { type: 'response.in_progress', response },
  ]
}

function itemEvents(item: OutputItem, index: number): readonly Event[] {
  const location = { item_id: item.id, output_index: index }
  return [
    { type: 'response.output_item.added', item: emptyItem(item), output_index: index },
    ...contentEvents(item, location),
    { type: 'response.output_item.done', item, output_index: index },
  ]
}

function emptyItem(item: OutputItem): JsonObject {
  switch (item.type) {
    case 'message':
      return { ...item, status: 'in_progress', content: [] }
    case 'reasoning':
      return { ...item, summary: [] }
    case 'function_call':
      return { ...item, status: 'in_progress', arguments: '' }
    case 'web_search_call':
    case 'code_interpreter_call':
      return emptyHostedItem(item)
    default:
      return item satisfies never
  }
}

function contentEvents(item: OutputItem, location: JsonObject): readonly Event[] {
  switch (item.type) {
    case 'message':
      return objectsAt(item, 'content').flatMap((part, index) =>
        part['type'] === 'refusal'
          ? pieceEvents(part, { ...location, content_index: index }, ['content_part', 'refusal', 'refusal'])
          : textEvents(part, location, index),
      )
    case 'reasoning':
      return objectsAt(item, 'summary').flatMap((part, index) =>
        pieceEvents(part, { ...location, summary_index: index }, [
          'reasoning_summary_part',
          'reasoning_summary_text',
          'text',
        ]),
      )
    case 'function_call':
      return argumentEvents(String(item['arguments']), location, item['status'] === 'incomplete')
    case 'web_search_call':
    case 'code_interpreter_call':
      return hostedEvents(item, location)
    default:
      return item satisfies never
  }
}

function textEvents(part: JsonObject, location: JsonObject, index: number): readonly Event[] {
  const text = String(part['text'])
  const where = { ...location, content_index: index }
  return [
    { type: 'response.content_part.added', ...where, part: { ...part, annotations: [], text: '' } },
    ...pieces(text).map((delta) => ({ type: 'response.output_text.delta', ...where, delta, logprobs: [] })),
    ...objectsAt(part, 'annotations').map((annotation, at) => ({
      type: 'response.output_text.annotation.added',
      ...where,
      annotation_index: at,
      annotation,
    })),
    { type: 'response.output_text.done', ...where, logprobs: [], text },
    { type: 'response.content_part.done', ...where, part },
  ]
}

/** `names`: of the events of the part, of those of its text, and of the member that holds the text. */
function pieceEvents(part: JsonObject, where: JsonObject, names: readonly [string, string, string]): readonly Event[] {
  const [ofPart, ofText, member] = names
  const text = String(part[member])
  return [
    { type: `response.${ofPart}.added`, ...where, part: { ...part, [member]: '' } },
    ...pieces(text).map((delta) => ({ type: `response.${ofText}.delta`, ...where, delta })),
    { type: `response.${ofText}.done`, ...where, [member]: text },
    { type: `response.${ofPart}.done`, ...where, part },
  ]
}

/** Arguments that the token limit cut are never declared done. */
function argumentEvents(text: string, location: JsonObject, cut: boolean): readonly Event[] {
  const deltas = pieces(text).map((delta) => ({ type: 'response.function_call_arguments.delta', ...location, delta }))
  return cut ? deltas : [...deltas, { type: 'response.function_call_arguments.done', ...location, arguments: text }]
}

/** Deltas are padded against guesses from their size (docs/wire.md#padding), unless the request says not to. */
function printAll(events: readonly Event[], context: AnswerContext): readonly string[] {
  const options = objectAt(context.request, 'stream_options')
  const padded = options['include_obfuscation'] !== false
  return events.map((event, index) => {
    const padding = padded && event.type.endsWith('.delta') ? { obfuscation: obfuscation(index) } : {}
    return namedEvent(event.type, JSON.stringify({ ...event, ...padding, sequence_number: index }))
  })
}
