import { objectOf, type JsonObject } from '@steploop/core/adapter'
import { isSaid } from '../read/payload.ts'

export function eventLabels(payload: JsonObject): readonly string[] {
  const message = objectOf(payload['message'])
  return [
    ...['thinking', 'content', 'tool_calls'].filter((name) => isSaid(message[name])),
    ...(payload['done'] === true ? ['done'] : []),
  ]
}
