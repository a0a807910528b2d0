import { isObject, objectOf, textOf, type JsonObject } from '@steploop/core/adapter'

/** The first text under a name, over all payloads. */
export function firstText(payloads: readonly JsonObject[], name: string): string | undefined {
  return payloads.map((payload) => textOf(payload[name])).find((text) => text !== undefined)
}

/** The last text under a name. */
export function lastText(payloads: readonly JsonObject[], name: string): string | undefined {
  return payloads.map((payload) => textOf(payload[name])).findLast((text) => text !== undefined)
}

/** The last object under a name. */
export function lastObject(payloads: readonly JsonObject[], name: string): JsonObject | undefined {
  return payloads.map((payload) => payload[name]).findLast(isObject)
}

/** The provider's message for an error, in any of the shapes in use: `error.message`, `error`, `message` beside a code, a list of them. */
export function errorOf(payloads: readonly JsonObject[]): string | undefined {
  return payloads.map((payload) => errorText(payload)).find((text) => text !== undefined)
}

function errorText(payload: JsonObject): string | undefined {
  const { error } = payload
  if (typeof error === 'string') return error
  if (isObject(error)) {
    const code = textOf(error['type']) ?? textOf(error['status']) ?? textOf(error['code'])
    const message = textOf(error['message']) ?? JSON.stringify(error)
    return code === undefined ? message : `${code}: ${message}`
  }
  const isError = payload['type'] === 'error' || payload['object'] === 'error' || 'detail' in payload
  if (!isError) return undefined
  return textOf(payload['message']) ?? textOf(payload['detail']) ?? JSON.stringify(objectOf(payload))
}

/** Whether a member of a payload says anything. */
export function isSaid(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0
  return value !== undefined && value !== null && value !== ''
}

export function isWord(value: unknown): boolean {
  return typeof value === 'string' && value !== ''
}
