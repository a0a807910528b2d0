import type { JsonObject } from '@steploop/core/adapter'
import type { TurnRecord } from '../evidence.ts'
import { without } from '../json.ts'
import type { RequestView } from '../request-view.ts'

/** A request, and what the loop asked of the adapter. */
export interface AskedRequest {
  readonly view: RequestView
  readonly turn: TurnRecord | undefined
}

/**
 * All of two bodies but the conversation. Where a format does not combine with tools the loop asks for the object in a request of its
 * own: then format and tools are left out of both, and instructions where those of one hold those of the other.
 */
export function comparableHeads(first: AskedRequest, now: AskedRequest): readonly [JsonObject, JsonObject] {
  const heads = [wholeHead(first.view), wholeHead(now.view)] as const
  if (asksApart(first) === asksApart(now)) return heads
  const [before, after] = heads
  const texts = [before['instructions'], after['instructions']].map((text) => (typeof text === 'string' ? text : ''))
  const [shorter = '', longer = ''] = texts.toSorted((left, right) => left.length - right.length)
  const reported = longer.includes(shorter) ? ['instructions'] : []
  return [without(before, ...toolsAndFormat, ...reported), without(after, ...toolsAndFormat, ...reported)]
}

function wholeHead({ head, instructions, tools, toolChoice }: RequestView): JsonObject {
  return { tools: tools.length === 0 ? undefined : tools, tool_choice: toolChoice, ...head, instructions }
}

/** The request is for an object, and for nothing else. */
function asksApart({ turn }: AskedRequest): boolean {
  return turn?.request.responseFormat !== undefined && turn.request.tools === undefined
}

const toolsAndFormat = ['tools', 'tool_choice', 'parallel_tool_calls', 'response_format'] as const
