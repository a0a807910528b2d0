import { arrayOf, isObject, objectOf, type JsonObject } from '@steploop/core/adapter'

/** The only choice of a chunk or a body; empty where there is none. */
export function choiceOf(chunk: JsonObject): JsonObject {
  return objectOf(arrayOf(chunk['choices'])[0])
}

/** The chunk or body with the delta or message of each choice changed. */
export function eachChoice(
  chunk: JsonObject,
  member: 'delta' | 'message',
  change: (content: JsonObject) => JsonObject,
): JsonObject {
  if (!Array.isArray(chunk['choices'])) return chunk
  const choices = chunk['choices'].map((value: unknown) => {
    const choice = objectOf(value)
    return isObject(choice[member]) ? { ...choice, [member]: change(choice[member]) } : choice
  })
  return { ...chunk, choices }
}

/** The calls of a delta or message changed, each with its ordinal; without calls it stays as it is. */
export function eachCall(content: JsonObject, change: (call: JsonObject, index: number) => JsonObject): JsonObject {
  const calls = arrayOf(content['tool_calls'])
  if (calls.length === 0) return content
  return { ...content, tool_calls: calls.map((call, index) => change(objectOf(call), index)) }
}
