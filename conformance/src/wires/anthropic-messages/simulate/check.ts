import { isObject } from '@steploop/core/adapter'
import { findShapeFault } from '../../simulate/shape-fault.ts'
import type { Memory, Rejection, JsonObject } from '../../simulate/wire-simulation.ts'
import { checkContent } from './check-content.ts'
import { checkPairs } from './check-pairs.ts'
import { checkThinking } from './check-thinking.ts'
import { invalidRequest } from './failures.ts'
import { inputMessages } from './input-message.ts'
import { requestSchema } from './request-schema.ts'
import { shapeRejection } from './shape-rejection.ts'
import { objectAt, objectsAt, textAt } from '../../simulate/fields.ts'

/** With `memory`, thinking has to carry a signature of this simulator; without, any signature is good. */
export function check(body: unknown, memory?: Memory): Rejection | undefined {
  if (!isObject(body)) return invalidRequest('The request body is not valid JSON')
  const fault = findShapeFault(requestSchema, body)
  if (fault !== undefined) return shapeRejection(fault, body)
  const messages = inputMessages(body)
  return (
    checkTools(body) ??
    checkContent(body, messages) ??
    checkPairs(messages) ??
    checkThinking(body, messages, memory !== undefined)
  )
}

function checkTools(request: JsonObject): Rejection | undefined {
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
