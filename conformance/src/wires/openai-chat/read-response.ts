import { arrayOf, numberOf, objectOf, textOf, type JsonObject } from '@steploop/core/adapter'
import { memberText } from '../../json.ts'
import { errorOf, firstText, lastObject, lastText } from '../read/payload.ts'
import { createPartList, type PartList } from '../read/part-list.ts'
import type { ResponseView, ResponseUsage } from '../read/response-view.ts'

/** Chat Completions: `choices[0].message`, or its deltas; the dialects' reasoning under any of its names. */
export function readResponse(payloads: readonly JsonObject[]): ResponseView {
  const list = createPartList()
  const choices = payloads.map((payload) => objectOf(arrayOf(payload['choices'])[0]))
  for (const choice of choices) readMessage(objectOf(choice['message'] ?? choice['delta']), list)
  return {
    id: firstText(payloads, 'id'),
    model: firstText(payloads, 'model'),
    parts: list.parts(),
    finish: lastText(choices, 'finish_reason'),
    usage: usageOf(lastObject(payloads, 'usage') ?? lastObject(payloads.map(groqPart), 'usage')),
    error: errorOf(payloads),
  }
}

const groqPart = (payload: JsonObject): JsonObject => objectOf(payload['x_groq'])

function readMessage(message: JsonObject, list: PartList): void {
  list.append('reasoning', '', reasoningOf(message))
  const { content } = message
  if (typeof content === 'string') list.append('text', '', content)
  for (const part of arrayOf(content).map((one) => objectOf(one))) readContentPart(part, list)
  list.append('refusal', '', memberText(message, 'refusal'))
  for (const [position, call] of arrayOf(message['tool_calls']).entries()) readCall(objectOf(call), position, list)
}

function readContentPart(part: JsonObject, list: PartList): void {
  if (part['type'] !== 'thinking') return list.append('text', '', memberText(part, 'text'))
  for (const thought of arrayOf(part['thinking'])) list.append('reasoning', '', memberText(objectOf(thought), 'text'))
  return undefined
}

/** The first that is there: gateways send the same thoughts under two names. */
function reasoningOf(message: JsonObject): string {
  const plain = textOf(message['reasoning_content']) ?? textOf(message['reasoning'])
  if (plain !== undefined) return plain
  const details = arrayOf(message['reasoning_details']).map((detail) => objectOf(detail))
  return details.map((detail) => textOf(detail['text']) ?? memberText(detail, 'summary')).join('')
}

function readCall(call: JsonObject, position: number, list: PartList): void {
  const invoked = objectOf(call['function'])
  const given = invoked['arguments']
  list.call(String(numberOf(call['index']) ?? position), {
    id: textOf(call['id']),
    toolName: textOf(invoked['name']),
    ...(typeof given === 'string' ? { inputText: given } : { input: given }),
  })
}

function usageOf(usage: JsonObject | undefined): ResponseUsage | undefined {
  if (usage === undefined) return undefined
  return {
    input: numberOf(usage['prompt_tokens']),
    output: numberOf(usage['completion_tokens']),
    cached:
      numberOf(objectOf(usage['prompt_tokens_details'])['cached_tokens']) ?? numberOf(usage['prompt_cache_hit_tokens']),
    reasoning: numberOf(objectOf(usage['completion_tokens_details'])['reasoning_tokens']),
  }
}
