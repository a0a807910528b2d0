import { arrayOf, objectOf } from '@steploop/core/adapter'
import { without } from '../../json.ts'
import type { RequestView } from '../../request-view.ts'
import { choiceView, toolView, withFormatApart } from '../read/tool-view.ts'
import { viewOf } from '../read/view-of.ts'
import { readConversation } from './read-conversation.ts'

/** Responses: `input` as a flat list of items; `previous_response_id` stands for what came before. */
export function readRequest(body: unknown): RequestView {
  const fields = objectOf(body)
  return {
    ...viewOf(readConversation(fields)),
    head: withFormatApart(without(fields, 'input', 'instructions', 'previous_response_id'), 'text', 'format'),
    tools: arrayOf(fields['tools']).map((tool) => toolView(objectOf(tool), 'parameters')),
    toolChoice: choiceView(fields['tool_choice']),
    outputSchema: objectOf(objectOf(fields['text'])['format'])['schema'],
  }
}
