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
  readonly place: readonly [message: number, part: number]
  /** What kind of item shows it. */
  readonly key: string
  readonly text?: string | undefined
}

/** Finds the parts that each item shows. Items and messages tell the same in the same order. */
export function coverItems(messages: readonly Message[], items: readonly UncoveredItem[]): readonly StoredItem[] {
  const parts = messages.flatMap(partsOf)
  const take = (key: string, text?: string): readonly Part['place'][] => {
    const index = parts.findIndex((part) => part.key === key && (text === undefined || part.text === text))
    return index < 0 ? [] : parts.splice(index, 1).map(({ place }) => place)
  }
  return items.map(({ id, direction, data, callId }) => {
    const covers = coversOf(data, callId ?? textOf(data['call_id']) ?? id, { parts, take })
    return { id, direction, data, covers }
  })
}

interface Parts {
  readonly parts: Part[]
  readonly take: (key: string, text?: string) => readonly Part['place'][]
}

function coversOf(data: JsonObject, callId: string, { parts, take }: Parts): readonly Part['place'][] {
  switch (data['type'] ?? 'message') {
    case 'message': {
      if (data['role'] !== 'assistant') return wholeMessage(parts, data['role'] === 'user' ? 'user' : 'system')
      const content: unknown = data['content']
      return (Array.isArray(content) ? content : [content]).flatMap(() => take('said'))
    }
    case 'reasoning':
      return take('reasoning', summaryText(data))
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

function wholeMessage(parts: Part[], key: string): readonly Part['place'][] {
  const first = parts.find((part) => part.key === key)
  if (first === undefined) return []
  const own = parts.filter(({ place }) => place[0] === first.place[0])
  for (const part of own) parts.splice(parts.indexOf(part), 1)
  return own.map(({ place }) => place)
}

function summaryText({ summary }: JsonObject): string {
  if (!Array.isArray(summary)) return ''
  return summary.map((part: unknown) => textOf(Reflect.get(Object(part), 'text')) ?? '').join('\n\n')
}

function partsOf(message: Message, index: number): readonly Part[] {
  if (typeof message.content === 'string') return [{ place: [index, 0], key: message.role }]
  return message.content.map((part, position): Part => {
    const place = [index, position] as const
    switch (part.type) {
      case 'tool-call':
        return { place, key: `call ${part.toolCallId}` }
      case 'tool-result':
        return { place, key: `result ${part.toolCallId}` }
      case 'reasoning':
        return { place, key: 'reasoning', text: part.text }
      case 'text':
      case 'refusal':
      case 'file':
        return { place, key: message.role === 'assistant' ? 'said' : message.role }
      default:
        return { place, key: part.type }
    }
  })
}
