import type { Message } from '@steploop/core'
import type { StoredItem } from '@steploop/store'
import { textOf, type JsonObject } from './json.ts'

/** An item before it is known which parts of the messages it shows. */
export interface UncoveredItem {
  readonly id: string
  readonly direction: StoredItem['direction']
  readonly data: JsonObject
  /** Id of the call, where the item itself does not name it. */
  readonly callId?: string | undefined
}

interface Part {
  readonly path: readonly [message: number, part: number]
  /** What kind of item shows it. */
  readonly key: string
}

/** Takes the parts of messages, each once and in order. */
interface Parts {
  readonly take: (key: string) => readonly Part['path'][]
  /** The rest of the message that has the next part of this kind. */
  readonly takeMessage: (key: string) => readonly Part['path'][]
}

/** Finds the parts that each item shows. Items and messages tell the same in the same order. */
export function coverItems(messages: readonly Message[], items: readonly UncoveredItem[]): readonly StoredItem[] {
  const parts = partsToTake(messages)
  return items.map(({ id, direction, data, callId }) => {
    const covers = coversOf(data, callId ?? textOf(data['call_id']) ?? id, parts)
    return { id, direction, data, covers }
  })
}

function partsToTake(messages: readonly Message[]): Parts {
  const ofMessage = messages.map((message, index) => new Set(partsOf(message, index)))
  const ofKey = Map.groupBy(
    ofMessage.flatMap((parts) => [...parts]),
    ({ key }) => key,
  )
  for (const parts of ofKey.values()) parts.reverse()
  const next = (key: string): Part | undefined => {
    const parts = ofKey.get(key)
    for (let part = parts?.pop(); part !== undefined; part = parts?.pop())
      if (ofMessage[part.path[0]]?.delete(part) === true) return part
    return undefined
  }
  return {
    take(key) {
      const part = next(key)
      return part === undefined ? [] : [part.path]
    },
    takeMessage(key) {
      const first = next(key)
      const rest = first && ofMessage[first.path[0]]
      if (first === undefined || rest === undefined) return []
      const paths = [first, ...rest].map(({ path }) => path)
      rest.clear()
      return paths
    },
  }
}

function coversOf(data: JsonObject, callId: string, { take, takeMessage }: Parts): readonly Part['path'][] {
  switch (data['type'] ?? 'message') {
    case 'message': {
      if (data['role'] !== 'assistant') return takeMessage(data['role'] === 'user' ? 'user' : 'system')
      const content: unknown = data['content']
      return (Array.isArray(content) ? content : [content]).flatMap(() => take('said'))
    }
    case 'reasoning':
      return take(`reasoning ${summaryText(data)}`)
    case 'function_call_output':
    case 'custom_tool_call_output':
      return take(`result ${callId}`)
    case 'function_call':
    case 'custom_tool_call':
    case 'mcp_approval_request':
      return take(`call ${callId}`)
    default:
      return [...take(`call ${callId}`), ...take(`result ${callId}`)]
  }
}

function summaryText({ summary }: JsonObject): string {
  if (!Array.isArray(summary)) return ''
  return summary.map((part: unknown) => textOf(Reflect.get(Object(part), 'text')) ?? '').join('\n\n')
}

function partsOf(message: Message, index: number): readonly Part[] {
  if (typeof message.content === 'string') return [{ path: [index, 0], key: message.role }]
  return message.content.map((part, position): Part => {
    const path = [index, position] as const
    switch (part.type) {
      case 'tool-call':
        return { path, key: `call ${part.toolCallId}` }
      case 'tool-result':
        return { path, key: `result ${part.toolCallId}` }
      case 'reasoning':
        return { path, key: `reasoning ${part.text}` }
      case 'text':
      case 'refusal':
      case 'file':
        return { path, key: message.role === 'assistant' ? 'said' : message.role }
      case 'opaque':
      default:
        return { path, key: part.type }
    }
  })
}
