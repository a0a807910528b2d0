import { arrayOf, objectOf, type JsonObject } from '@steploop/core/adapter'
import { isSaid } from '../read/payload.ts'

export function eventLabels(payload: JsonObject): readonly string[] {
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
