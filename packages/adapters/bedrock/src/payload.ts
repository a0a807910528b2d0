import { malformed, objectOf, parseJson, textOf, type Origin } from '@steploop/core/adapter'

const decoder = new TextDecoder()

/** The text in a `chunk` of InvokeModelWithResponseStream. */
export function parsePayload(data: string, origin: Origin): string {
  const base64 = textOf(objectOf(parseJson(data, origin))['bytes'])
  if (base64 === undefined) throw malformed(origin, 'a chunk of the stream holds no `bytes`', data)
  try {
    return decoder.decode(Uint8Array.from(atob(base64), (character) => character.charCodeAt(0)))
  } catch {
    throw malformed(origin, 'a chunk of the stream holds `bytes` that are no base64', data)
  }
}
