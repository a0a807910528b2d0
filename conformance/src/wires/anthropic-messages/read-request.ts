import { arrayOf, objectOf, type JsonObject } from '@steploop/core/adapter'
import { contentText, memberText, without } from '../../json.ts'
import type { ConversationItem, RequestView } from '../../request-view.ts'
import { choiceView, toolView, withFormatApart } from '../tool-view.ts'

/** Messages: content blocks in alternating roles; all results of a step stand in one user message. */
export function readRequest(body: unknown): RequestView {
  const fields = objectOf(body)
  const system = contentText(fields['system'])
  return {
    head: withFormatApart(without(fields, 'messages', 'system'), 'output_config', 'format'),
    tools: arrayOf(fields['tools']).map((tool) => toolView(objectOf(tool), 'input_schema')),
    toolChoice: choiceView(fields['tool_choice']),
    outputSchema: objectOf(objectOf(fields['output_config'])['format'])['schema'],
    instructions: system === '' ? undefined : system,
    items: arrayOf(fields['messages']).flatMap((message, index) => itemsOf(objectOf(message), `messages[${index}]`)),
    continuation: undefined,
  }
}

function itemsOf(message: JsonObject, path: string): readonly ConversationItem[] {
  const type = message['role'] === 'assistant' ? 'text' : 'user'
  const content = message['content']
  if (typeof content === 'string') return [{ type, text: content, path }]
  return arrayOf(content).map((block, at) => blockItem(objectOf(block), type, `${path}.content[${at}]`))
}

function blockItem(block: JsonObject, speaker: 'text' | 'user', path: string): ConversationItem {
  switch (block['type']) {
    case 'text':
      return { type: speaker, text: memberText(block, 'text'), path }
    case 'tool_use':
      return {
        type: 'call',
        id: memberText(block, 'id'),
        toolName: memberText(block, 'name'),
        input: block['input'],
        path,
      }
    case 'tool_result':
      return {
        type: 'result',
        id: memberText(block, 'tool_use_id'),
        text: contentText(block['content']),
        isError: block['is_error'] === true,
        path,
      }
    default:
      return { type: 'other', kind: String(block['type']), path }
  }
}
