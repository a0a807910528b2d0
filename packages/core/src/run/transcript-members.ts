import { isObject } from '../wire/json.ts'
import { noProgress } from './state/limits.ts'

export function isCount(value: unknown): boolean {
  return value === undefined || (typeof value === 'number' && value >= 0 && value < Infinity)
}

export function isContinuation(value: unknown): boolean {
  return (
    value === undefined ||
    (isObject(value) && typeof value['responseId'] === 'string' && typeof value['hash'] === 'string')
  )
}

export function isProgress(value: unknown): boolean {
  if (value === undefined) return true
  if (!isObject(value) || typeof value['nudged'] !== 'boolean' || !Array.isArray(value['batches'])) return false
  const counts = Object.keys(noProgress).filter((name) => name !== 'nudged' && name !== 'batches')
  return counts.every((name) => value[name] !== undefined && isCount(value[name]))
}

export function isPendingCall(call: unknown): boolean {
  if (!isObject(call) || typeof call['toolCallId'] !== 'string' || typeof call['toolName'] !== 'string') return false
  const { reason, hash, refined } = call
  if (hash !== undefined && typeof hash !== 'string') return false
  if (refined !== undefined && !(isObject(refined) && 'input' in refined)) return false
  if ([call['edited'], call['offered'], call['unjudged']].some((mark) => mark !== undefined && mark !== true))
    return false
  return reason === 'client-tool' || reason === 'approval'
}
