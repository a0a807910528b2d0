import { arrayOf, isObject, objectOf, textOf, type JsonObject } from '@steploop/core/adapter'
import { contentText, memberText, without } from '../../json.ts'
import type { ConversationItem, RequestView } from '../../request-view.ts'
import { toolView } from '../tool-view.ts'

/**
 * Ollama's native chat: `messages` by role, arguments as objects, and no ids. A result answers the call at its position in the message before,
 * so both get that position as their id; a result that names another tool, or says another id than the server gave, answers none.
 */
export function readRequest(body: unknown): RequestView {
  const fields = objectOf(body)
  const messages = arrayOf(fields['messages']).map((message) => objectOf(message))
  const system = messages.filter(({ role }) => role === 'system').map((message) => contentText(message['content']))
  const { format, ...head } = without(fields, 'messages')
  return {
    head: format === undefined ? head : { ...head, response_format: format },
    tools: arrayOf(fields['tools']).map((tool) => toolView(objectOf(objectOf(tool)['function']), 'parameters')),
    toolChoice: undefined,
    outputSchema: isObject(fields['format']) ? fields['format'] : undefined,
    instructions: system.length === 0 ? undefined : system.join('\n'),
    items: itemsOf(messages),
    continuation: undefined,
  }
}

interface OpenCall {
  readonly id: string
  readonly call: JsonObject
}

function itemsOf(messages: readonly JsonObject[]): readonly ConversationItem[] {
  let open: OpenCall[] = []
  return messages.flatMap((message, index): readonly ConversationItem[] => {
    const path = `messages[${index}]`
    const text = memberText(message, 'content')
    switch (message['role']) {
      case 'system':
        return []
      case 'user':
        return [{ type: 'user', text, path }]
      case 'tool':
        return [
          { type: 'result', id: answeredId(message, open.shift()) ?? `${path}, which answers no call`, text, path },
        ]
      case 'assistant': {
        const calls = arrayOf(message['tool_calls']).map((call) => objectOf(call))
        open = calls.map((call, at) => ({ id: `${path}.tool_calls[${at}]`, call }))
        const said: readonly ConversationItem[] = text === '' ? [] : [{ type: 'text', text, path }]
        return [...said, ...open.map(callItem)]
      }
      default:
        return [{ type: 'other', kind: String(message['role']), path }]
    }
  })
}

function callItem({ id, call }: OpenCall): ConversationItem {
  const invoked = objectOf(call['function'])
  return { type: 'call', id, toolName: memberText(invoked, 'name'), input: invoked['arguments'], path: id }
}

function answeredId(result: JsonObject, open: OpenCall | undefined): string | undefined {
  if (open === undefined || memberText(objectOf(open.call['function']), 'name') !== memberText(result, 'tool_name')) {
    return undefined
  }
  return textOf(open.call['id']) === textOf(result['tool_call_id']) ? open.id : undefined
}
