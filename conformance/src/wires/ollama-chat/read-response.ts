import { arrayOf, numberOf, objectOf, textOf, type JsonObject } from '@steploop/core/adapter'
import { memberText } from '../../json.ts'
import { errorOf, firstText, lastText } from '../read/payload.ts'
import { createPartList } from '../read/part-list.ts'
import type { ResponseView } from '../read/response-view.ts'

/** Ollama's chat: `message` of each line; calls come whole. */
export function readResponse(payloads: readonly JsonObject[]): ResponseView {
  const list = createPartList()
  let calls = 0
  for (const message of payloads.map((payload) => objectOf(payload['message']))) {
    list.append('reasoning', '', memberText(message, 'thinking'))
    list.append('text', '', memberText(message, 'content'))
    for (const call of arrayOf(message['tool_calls']).map((one) => objectOf(one))) {
      const invoked = objectOf(call['function'])
      list.call(String(calls++), {
        id: textOf(call['id']),
        toolName: textOf(invoked['name']),
        input: invoked['arguments'],
      })
    }
  }
  const last = payloads.at(-1) ?? {}
  const input = numberOf(last['prompt_eval_count'])
  const output = numberOf(last['eval_count'])
  return {
    id: undefined,
    model: firstText(payloads, 'model'),
    parts: list.parts(),
    finish: lastText(payloads, 'done_reason') ?? (last['done'] === true ? 'done' : undefined),
    usage: input === undefined && output === undefined ? undefined : { input, output },
    error: errorOf(payloads),
  }
}
