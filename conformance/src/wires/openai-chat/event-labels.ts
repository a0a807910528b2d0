import { arrayOf, objectOf, type JsonObject } from '@steploop/core/adapter'
import { isSaid } from '../read/payload.ts'

const thoughts = ['reasoning', 'reasoning_content', 'reasoning_details']

export function eventLabels(payload: JsonObject): readonly string[] {
  const [choice] = arrayOf(payload['choices']).map((one) => objectOf(one))
  const delta = objectOf(choice?.['delta'])
  return [
    ...(thoughts.some((name) => isSaid(delta[name])) ? ['reasoning'] : []),
    ...['content', 'refusal', 'tool_calls'].filter((name) => isSaid(delta[name])),
    ...(isSaid(choice?.['finish_reason']) ? ['finish_reason'] : []),
    ...(isSaid(payload['usage']) && choice === undefined ? ['usage'] : []),
  ]
}
