import { arrayOf, objectOf, textOf, type JsonObject } from '@steploop/core/adapter'
import { contentText, memberText, parsed, without } from '../../json.ts'
import type { ConversationItem, RequestView } from '../../request-view.ts'
import { choiceView, toolView, withFormatApart } from '../tool-view.ts'

/** Responses: `input` as a flat list of items; `previous_response_id` stands for what came before. */
export function readRequest(body: unknown): RequestView {
  const fields = objectOf(body)
  const input = fields['input']
  const items =
    typeof input === 'string'
      ? [{ type: 'user' as const, text: input, path: 'input' }]
      : arrayOf(input).flatMap((item, index) => itemOf(objectOf(item), `input[${index}]`))
  return {
    head: withFormatApart(without(fields, 'input', 'instructions', 'previous_response_id'), 'text', 'format'),
    tools: arrayOf(fields['tools']).map((tool) => toolView(objectOf(tool), 'parameters')),
    toolChoice: choiceView(fields['tool_choice']),
    outputSchema: objectOf(objectOf(fields['text'])['format'])['schema'],
    instructions: textOf(fields['instructions']) ?? systemText(input),
    items,
    continuation: textOf(fields['previous_response_id']),
  }
}

function systemText(input: unknown): string | undefined {
  const systems = arrayOf(input)
    .map((item) => objectOf(item))
    .filter((item) => isSystem(item))
  return systems.length === 0 ? undefined : systems.map((item) => contentText(item['content'])).join('\n')
}

function isSystem(item: JsonObject): boolean {
  return item['role'] === 'system' || item['role'] === 'developer'
}

function itemOf(item: JsonObject, path: string): readonly ConversationItem[] {
  if (isSystem(item)) return []
  // A message may stand without its type.
  switch (item['type'] ?? 'message') {
    case 'message': {
      const text = contentText(item['content'])
      if (item['role'] !== 'assistant') return [{ type: 'user', text, path }]
      // A refusal holds no text.
      return [text === '' ? { type: 'other', kind: 'message', path } : { type: 'text', text, path }]
    }
    case 'function_call': {
      const input = parsed(memberText(item, 'arguments'))
      return [{ type: 'call', id: memberText(item, 'call_id'), toolName: memberText(item, 'name'), input, path }]
    }
    case 'function_call_output':
      return [{ type: 'result', id: memberText(item, 'call_id'), text: contentText(item['output']), path }]
    default:
      return [{ type: 'other', kind: String(item['type']), path }]
  }
}
