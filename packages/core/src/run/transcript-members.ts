import { printed } from '../options/invalid-option.ts'
import { arrayOf, isObject, objectOf, textOf, type JsonObject } from '../wire/json.ts'
import { noProgress } from './state/limits.ts'

/** What is wrong with the members of a transcript, but for what is in its messages. */
export function membersProblem(transcript: JsonObject): string | undefined {
  for (const [name, isFine] of Object.entries(members)) {
    if (!isFine(transcript[name])) return `\`${name}\` cannot be ${printed(transcript[name])}`
  }
  const pending = arrayOf(transcript['pendingCalls'])
  const index = pending.findIndex((call) => !isPendingCall(call))
  if (index >= 0) return `pendingCalls[${index}] is no pending call`
  const ids = new Set(pending.map((call) => objectOf(call)['toolCallId']))
  return ids.size < pending.length ? '`pendingCalls` names a call twice' : undefined
}

const members: Readonly<Record<string, (value: unknown) => boolean>> = {
  id: (value) => textOf(value) !== undefined,
  messages: Array.isArray,
  pendingCalls: Array.isArray,
  turns: (value) => value === undefined || isCount(value),
  continuation: (value) =>
    value === undefined ||
    (isObject(value) && typeof value['responseId'] === 'string' && typeof value['hash'] === 'string'),
  progress: (value) =>
    value === undefined || Object.entries(noProgress).every(([name, none]) => isLike(none, objectOf(value)[name])),
}

function isLike(none: unknown, value: unknown): boolean {
  if (typeof none === 'number') return isCount(value)
  return Array.isArray(none) ? Array.isArray(value) : typeof value === 'boolean'
}

function isCount(value: unknown): boolean {
  return typeof value === 'number' && value >= 0 && value < Infinity
}

function isPendingCall(call: unknown): boolean {
  if (!isObject(call) || typeof call['toolCallId'] !== 'string' || typeof call['toolName'] !== 'string') return false
  const { reason, hash, refined } = call
  if (hash !== undefined && typeof hash !== 'string') return false
  if (refined !== undefined && !(isObject(refined) && 'input' in refined)) return false
  if ([call['edited'], call['offered'], call['unjudged']].some((mark) => mark !== undefined && mark !== true))
    return false
  return reason === 'client-tool' || reason === 'approval'
}
