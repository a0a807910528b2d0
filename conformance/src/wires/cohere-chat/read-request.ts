import { arrayOf, objectOf } from '@steploop/core/adapter'
import { without } from '../../json.ts'
import type { RequestView } from '../../request-view.ts'
import { toolView } from '../read/tool-view.ts'
import { viewOf } from '../read/view-of.ts'
import { readConversation } from './read-conversation.ts'

/** Chat: messages by role; strictness is one switch for all tools. */
export function readRequest(body: unknown): RequestView {
  const fields = objectOf(body)
  const strict = fields['strict_tools'] === true
  return {
    ...viewOf(readConversation(fields)),
    head: without(fields, 'messages', 'strict_tools'),
    tools: arrayOf(fields['tools']).map((tool) => ({
      ...toolView(objectOf(objectOf(tool)['function']), 'parameters'),
      strict,
    })),
    outputSchema: objectOf(fields['response_format'])['json_schema'],
  }
}
