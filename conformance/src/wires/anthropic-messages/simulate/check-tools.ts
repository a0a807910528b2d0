import { objectAt, objectsAt, textAt } from '../../simulate/fields.ts'
import type { JsonObject, Rejection } from '../../simulate/wire-simulation.ts'
import { invalidRequest } from './failures.ts'

export function checkTools(request: JsonObject): Rejection | undefined {
  const tools = objectsAt(request, 'tools')
  const names = tools.map((tool) => textAt(tool, 'name')).filter((name) => name !== '')
  if (new Set(names).size < names.length) return invalidRequest('tools: Tool names must be unique.')
  if (request['tool_choice'] === undefined) return undefined
  if (tools.length === 0 && request['mcp_servers'] === undefined) {
    return invalidRequest('tool_choice: tool_choice may only be specified while providing tools.')
  }
  const choice = objectAt(request, 'tool_choice')
  const name = textAt(choice, 'name')
  if (choice['type'] === 'tool' && !names.includes(name)) {
    return invalidRequest(`tool_choice.tool.name: Tool '${name}' not found in provided tools`)
  }
  return undefined
}
