import type { JsonObject, Refusal } from '../wire-simulation.ts'
import { invalidRequest } from './failures.ts'

export function checkTools(request: JsonObject): Refusal | undefined {
  const tools = (request['tools'] ?? []) as readonly { readonly name?: string }[]
  const names = tools.flatMap(({ name }) => (name === undefined ? [] : [name]))
  if (new Set(names).size < names.length) return invalidRequest('tools: Tool names must be unique.')
  const choice = request['tool_choice'] as { readonly type: string; readonly name?: string } | undefined
  if (choice === undefined) return undefined
  if (tools.length === 0 && request['mcp_servers'] === undefined) {
    return invalidRequest('tool_choice: tool_choice may only be specified while providing tools.')
  }
  if (choice.type === 'tool' && !names.includes(choice.name ?? '')) {
    return invalidRequest(`tool_choice.tool.name: Tool '${String(choice.name)}' not found in provided tools`)
  }
  return undefined
}
