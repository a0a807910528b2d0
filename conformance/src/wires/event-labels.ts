import { arrayOf, isObject, objectOf, textOf, type JsonObject } from '@steploop/core/adapter'

type Labeller = (payload: JsonObject) => readonly string[]

/**
 * The kinds of event that one payload of a stream stands for, in the order in which a reader meets them. Wire formats whose payloads have
 * a `type` say it; for the others it is what a payload carries. Empty members say nothing, so a payload may stand for no event at all.
 */
export function eventLabels(payload: JsonObject, wire: string): readonly string[] {
  const type = textOf(payload['type'])
  if (type !== undefined && type !== '') return [type]
  if (isObject(payload['error']) || typeof payload['error'] === 'string') return ['error']
  const labeller = labellers[wire]
  return labeller === undefined ? ['message'] : labeller(payload)
}

const labellers: Readonly<Record<string, Labeller>> = {
  'openai-chat': chatLabels,
  'gemini-generate': geminiLabels,
  'ollama-chat': ollamaLabels,
}

function isSaid(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0
  return value !== undefined && value !== null && value !== ''
}

const thoughts = ['reasoning', 'reasoning_content', 'reasoning_details']

function chatLabels(payload: JsonObject): readonly string[] {
  const [choice] = arrayOf(payload['choices']).map((one) => objectOf(one))
  const delta = objectOf(choice?.['delta'])
  return [
    ...(thoughts.some((name) => isSaid(delta[name])) ? ['reasoning'] : []),
    ...['content', 'refusal', 'tool_calls'].filter((name) => isSaid(delta[name])),
    ...(isSaid(choice?.['finish_reason']) ? ['finish_reason'] : []),
    ...(isSaid(payload['usage']) && choice === undefined ? ['usage'] : []),
  ]
}

function geminiLabels(payload: JsonObject): readonly string[] {
  const [candidate] = arrayOf(payload['candidates']).map((one) => objectOf(one))
  const parts = arrayOf(objectOf(candidate?.['content'])['parts']).map((part) => objectOf(part))
  return [
    ...parts.flatMap((part) => partLabel(part)),
    ...(isSaid(candidate?.['finishReason']) ? ['finishReason'] : []),
    ...(isSaid(payload['promptFeedback']) ? ['promptFeedback'] : []),
  ]
}

function partLabel(part: JsonObject): readonly string[] {
  if (part['thought'] === true) return ['thought']
  if (isSaid(part['text'])) return ['text']
  return Object.keys(part).filter((name) => name !== 'text' && name !== 'thoughtSignature')
}

function ollamaLabels(payload: JsonObject): readonly string[] {
  const message = objectOf(payload['message'])
  return [
    ...['thinking', 'content', 'tool_calls'].filter((name) => isSaid(message[name])),
    ...(payload['done'] === true ? ['done'] : []),
  ]
}
