import { arrayOf, objectOf, type JsonObject } from '@steploop/core/adapter'
import { contentText, memberText, parsed, without } from '../../json.ts'
import type { ConversationItem, RequestView } from '../../request-view.ts'
import { choiceView, toolView } from '../tool-view.ts'

/** Chat Completions: `messages` by role, results as `tool` messages, calls beside the assistant's text. */
export function readRequest(body: unknown): RequestView {
  const fields = objectOf(body)
  const messages = arrayOf(fields['messages']).map((message) => objectOf(message))
  const isSystem = (message: JsonObject): boolean => message['role'] === 'system' || message['role'] === 'developer'
  const system = messages.filter(isSystem).map((message) => contentText(message['content']))
  return {
    head: without(fields, 'messages'),
    tools: arrayOf(fields['tools']).map((tool) => toolView(objectOf(objectOf(tool)['function']), 'parameters')),
    toolChoice: choiceView(fields['tool_choice']),
    outputSchema: objectOf(objectOf(fields['response_format'])['json_schema'])['schema'],
    instructions: system.length === 0 ? undefined : system.join('\n'),
    items: messages.flatMap((message, index) => (isSystem(message) ? [] : itemsOf(message, `messages[${index}]`))),
    continuation: undefined,
  }
}

function itemsOf(message: JsonObject, path: string): readonly ConversationItem[] {
  const text = contentText(message['content'])
  switch (message['role']) {
    case 'user':
      return [{ type: 'user', text, path }]
    case 'tool':
      return [{ type: 'result', id: memberText(message, 'tool_call_id'), text, path }]
    case 'assistant': {
      const said: readonly ConversationItem[] = text === '' ? [] : [{ type: 'text', text, path }]
      return [...said, ...arrayOf(message['tool_calls']).map((call, at) => callOf(call, `${path}.tool_calls[${at}]`))]
    }
    default:
      return [{ type: 'other', kind: String(message['role']), path }]
  }
}

function callOf(call: unknown, path: string): ConversationItem {
  const fields = objectOf(call)
  const invoked = objectOf(fields['function'])
  const input = parsed(memberText(invoked, 'arguments'))
  return { type: 'call', id: memberText(fields, 'id'), toolName: memberText(invoked, 'name'), input, path }
}
