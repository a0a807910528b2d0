import { objectAt } from '../../../simulate/fields.ts'
import type { JsonObject } from '../../../simulate/wire-simulation.ts'

/** `deepseek-chat` answers without thinking, the others with it, unless `thinking` says otherwise: https://api-docs.deepseek.com/guides/thinking_mode */
export function isThinking(request: JsonObject): boolean {
  const type = objectAt(request, 'thinking')['type']
  return type === undefined ? request['model'] !== 'deepseek-chat' : type === 'enabled'
}
