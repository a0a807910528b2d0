import { arrayOf, objectOf } from '@steploop/core/adapter'
import { without } from '../../json.ts'
import type { RequestView } from '../../request-view.ts'
import { toolView, withFormatApart } from '../read/tool-view.ts'
import { viewOf } from '../read/view-of.ts'
import { readConversation } from './read-conversation.ts'

/** Messages: content blocks in alternating roles; all results of a step stand in one user message. */
export function readRequest(body: unknown): RequestView {
  const fields = objectOf(body)
  return {
    ...viewOf(readConversation(fields)),
    head: withFormatApart(without(fields, 'messages', 'system'), 'output_config', 'format'),
    tools: arrayOf(fields['tools']).map((tool) => toolView(objectOf(tool), 'input_schema')),
    outputSchema: objectOf(objectOf(fields['output_config'])['format'])['schema'],
  }
}
