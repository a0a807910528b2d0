import { isObject } from '@steploop/core/adapter'
import { findShapeFault } from '../../simulate/shape-fault.ts'
import type { Memory, Rejection } from '../../simulate/wire-simulation.ts'
import { checkContent } from './check-content.ts'
import { checkPairs } from './check-pairs.ts'
import { checkThinking } from './check-thinking.ts'
import { checkTools } from './check-tools.ts'
import { invalidRequest } from './failures.ts'
import { inputMessages } from './input-message.ts'
import { requestSchema } from './request-schema.ts'
import { shapeRejection } from './shape-rejection.ts'

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
