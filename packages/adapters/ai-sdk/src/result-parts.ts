import { arrayOf, objectOf, type JsonObject } from '@steploop/core/adapter'

/** The result of `doGenerate` as the parts that a stream would have had, so that both modes have one mapping. */
export function resultParts(result: unknown): readonly JsonObject[] {
  const { content, warnings, response, finishReason, usage, providerMetadata } = objectOf(result)
  return [
    { type: 'stream-start', warnings },
    { ...objectOf(response), type: 'response-metadata' },
    ...arrayOf(content).flatMap((part, index) => contentParts(objectOf(part), String(index))),
    { type: 'finish', finishReason, usage, providerMetadata },
  ]
}

function contentParts(part: JsonObject, id: string): readonly JsonObject[] {
  const { type, text, providerMetadata, citations } = part
  if (type !== 'text' && type !== 'reasoning') return [part]
  return [
    { type: `${type}-start`, id },
    { type: `${type}-delta`, id, delta: text },
    { type: `${type}-end`, id, providerMetadata, citations },
  ]
}
