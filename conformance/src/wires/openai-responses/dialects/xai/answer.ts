import { isObject, objectOf } from '@steploop/core/adapter'
import type { ScriptedAnswer } from '../../../../script.ts'
import { objectAt, objectsAt, textAt } from '../../../simulate/fields.ts'
import { leaveOut } from '../../../simulate/leave-out.ts'
import { namedEvent } from '../../../simulate/sse.ts'
import type { AnswerContext, JsonObject, Rejection, WireSimulation } from '../../../simulate/wire-simulation.ts'
import { modelTraits } from '../../../openai-common/xai-models.ts'
import { answerStream, failedResponse, failureStream } from '../../simulate/answer-stream.ts'
import { answerJson } from '../../simulate/answer.ts'
import { asXaiEvent, asXaiItem, hasHostedItem, isStepOfCode } from './hosted-item.ts'

/** How xAI answers in this format: what OpenAI says, with a shorter echo of the request and without padding. */
export const xaiAnswers: Pick<WireSimulation, 'answerJson' | 'answerStream' | 'failureJson' | 'failureStream'> = {
  answerJson: (answer, context) => shorten(answerJson(answer, asAsked(context)), context),
  answerStream(answer: ScriptedAnswer, context: AnswerContext) {
    const { frames, terminal } = answerStream(answer, asAsked(context))
    const before = frames.slice(0, terminal)
    const kept = before.filter((frame) => !isStepOfCode(frame))
    const printed = [...kept, ...frames.slice(terminal)].map((frame) => reprint(frame, context))
    return { frames: printed, terminal: kept.length }
  },
  failureJson: (refusal, context) => shorten(failedResponse(refusal, context, []), context),
  failureStream: (refusal: Rejection, before, context) =>
    failureStream(refusal, before, asAsked(context)).map((frame) => reprint(frame, context)),
}

/** Members of OpenAI's response that the recorded one of xAI does not have. */
const left: ReadonlySet<string> = new Set([
  'background',
  'completed_at',
  'frequency_penalty',
  'instructions',
  'max_tool_calls',
  'presence_penalty',
  'prompt_cache_key',
  'prompt_cache_retention',
  'safety_identifier',
  'service_tier',
  'top_logprobs',
  'truncation',
])

/** Recorded sources have an address, and neither a title nor a place. */
function withBareSources(value: JsonObject): JsonObject {
  const bare = (_name: string, member: unknown): unknown =>
    isObject(member) && member['type'] === 'url_citation' ? { type: 'url_citation', url: member['url'] } : member
  return objectOf(JSON.parse(JSON.stringify(value), bare))
}

function shorten(full: JsonObject, { turn, request }: AnswerContext): JsonObject {
  const response = withBareSources(full)
  const kept = Object.entries(response).filter(
    ([name, value]) => !left.has(name) && !(value === null && (name === 'error' || name === 'usage')),
  )
  const given = objectAt(request, 'reasoning')
  const items = objectsAt(response, 'output')
  const output = Array.isArray(response['output']) ? { output: items.map(asXaiItem) } : {}
  return {
    ...Object.fromEntries(kept),
    ...output,
    ...(isObject(response['usage']) && { usage: { ...response['usage'], ...countsOf(items) } }),
    id: `${String(turn).padStart(8, '0')}-51a0-4000-8000-000000000000`,
    text: { format: objectAt(response, 'text')['format'] },
    reasoning: { effort: given['effort'] ?? null, summary: given['summary'] ?? null },
    temperature: request['temperature'] ?? null,
    top_p: request['top_p'] ?? null,
  }
}

/** Every usage counts what the provider did beside the model. */
function countsOf(items: readonly JsonObject[]): JsonObject {
  const sources = items.flatMap((item) => objectsAt(item, 'content')).flatMap((part) => objectsAt(part, 'annotations'))
  return {
    num_sources_used: sources.length,
    num_server_side_tools_used: items.filter((item) => isHostedType(textAt(item, 'type'))).length,
  }
}

/** Calls that are not the caller's to answer. */
function isHostedType(type: string): boolean {
  return type.endsWith('_call') && type !== 'function_call'
}

/** Answers as if the request had asked for what xAI does unasked: no padding, and thoughts from those models that show them. */
function asAsked(context: AnswerContext): AnswerContext {
  const { request } = context
  const given = objectAt(request, 'reasoning')
  const reasoning = modelTraits(request).shows ? { ...given, summary: 'detailed' } : given
  return { ...context, request: { ...request, reasoning, stream_options: { include_obfuscation: false } } }
}

function reprint(frame: string, context: AnswerContext): string {
  const event = objectOf(JSON.parse(frame.slice(frame.indexOf('\ndata: ') + 7)))
  const type = textAt(event, 'type')
  if (isObject(event['response'])) {
    return namedEvent(type, JSON.stringify({ ...event, response: shorten(event['response'], context) }))
  }
  if (hasHostedItem(event)) return namedEvent(type, JSON.stringify(asXaiEvent(event)))
  if (type === 'response.output_text.done') return namedEvent(type, JSON.stringify(leaveOut(event, ['logprobs'])))
  return frame.includes('"url_citation"') ? namedEvent(type, JSON.stringify(withBareSources(event))) : frame
}
