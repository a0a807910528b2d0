import { arrayOf, objectOf, type JsonObject } from '@steploop/core/adapter'
import { contentText, memberText, parsed, without } from '../../json.ts'
import type { ConversationItem, RequestView } from '../../request-view.ts'
import { choiceView, toolView } from '../tool-view.ts'

/** Chat: messages by role; strictness is one switch for all tools. */
export function readRequest(body: unknown): RequestView {
  const fields = objectOf(body)
  const messages = arrayOf(fields['messages']).map((message) => objectOf(message))
  const system = messages.filter(({ role }) => role === 'system').map(({ content }) => contentText(content))
  const strict = fields['strict_tools'] === true
  return {
    head: without(fields, 'messages', 'strict_tools'),
    tools: arrayOf(fields['tools']).map((tool) => ({
      ...toolView(objectOf(objectOf(tool)['function']), 'parameters'),
      strict,
    })),
    toolChoice: choiceView(fields['tool_choice']),
    outputSchema: objectOf(fields['response_format'])['json_schema'],
    instructions: system.length === 0 ? undefined : system.join('\n'),
    items: messages.flatMap((message, index) => itemsOf(message, `messages[${index}]`)),
    continuation: undefined,
  }
}

function itemsOf(message: JsonObject, path: string): readonly ConversationItem[] {
  const { role, content } = message
  switch (role) {
    case 'system':
      return []
    case 'user':
      return [{ type: 'user', text: contentText(content), path }]
    case 'tool':
      return [{ type: 'result', id: memberText(message, 'tool_call_id'), text: resultText(content), path }]
    case 'assistant':
      return [
        ...(typeof message['tool_plan'] === 'string' ? [other('tool_plan', `${path}.tool_plan`)] : []),
        ...blockItems(content, path),
        ...arrayOf(message['tool_calls']).map((call, at) => callItem(objectOf(call), `${path}.tool_calls[${at}]`)),
      ]
    default:
      return [other(String(role), path)]
  }
}

/** Each text of a result is a source of its own. */
function resultText(content: unknown): string {
  if (typeof content === 'string') return content
  return arrayOf(content)
    .map((block) => memberText(objectOf(block), 'text'))
    .join('\n')
}

function blockItems(content: unknown, path: string): readonly ConversationItem[] {
  if (typeof content === 'string') return [{ type: 'text', text: content, path }]
  return arrayOf(content).map((value, at) => {
    const block = objectOf(value)
    const blockPath = `${path}.content[${at}]`
    if (block['type'] === 'text') return { type: 'text', text: memberText(block, 'text'), path: blockPath }
    return other(String(block['type']), blockPath)
  })
}

function callItem(call: JsonObject, path: string): ConversationItem {
  const invoked = objectOf(call['function'])
  const input = parsed(memberText(invoked, 'arguments'))
  return { type: 'call', id: memberText(call, 'id'), toolName: memberText(invoked, 'name'), input, path }
}

function other(kind: string, path: string): ConversationItem {
  return { type: 'other', kind, path }
}
