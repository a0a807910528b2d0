import { findShapeFault } from '../shape-fault.ts'
import type { JsonObject, Memory, Refusal } from '../wire-simulation.ts'
import { checkContent } from './check-content.ts'
import { checkPairs } from './check-pairs.ts'
import { checkThinking } from './check-thinking.ts'
import { checkTools } from './check-tools.ts'
import { invalidRequest } from './failures.ts'
import { requestSchema } from './request-schema.ts'
import { shapeRefusal } from './shape-refusal.ts'

export interface ContentBlock extends JsonObject {
  readonly type: string
}

export interface InputMessage {
  readonly role: string
  readonly content: string | readonly ContentBlock[]
}

/** With `memory`, thinking has to carry a signature of this simulator; without, any signature is good. */
export function check(body: unknown, memory?: Memory): Refusal | undefined {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    return invalidRequest('The request body is not valid JSON')
  }
  const fault = findShapeFault(requestSchema, body)
  if (fault !== undefined) return shapeRefusal(fault, body)
  const request = body as JsonObject
  const messages = request['messages'] as readonly InputMessage[]
  return (
    checkTools(request) ??
    checkContent(request, messages) ??
    checkPairs(messages) ??
    checkThinking(request, messages, memory !== undefined)
  )
}
