import { arrayOf, objectOf } from '@steploop/core/adapter'
import { without } from '../../json.ts'
import type { RequestView } from '../../request-view.ts'
import { toolView } from '../read/tool-view.ts'
import { viewOf } from '../read/view-of.ts'
import { readConversation } from './read-conversation.ts'

/** Chat Completions: `messages` by role, results as `tool` messages, calls beside the assistant's text. Reasoning need not come back. */
export function readRequest(body: unknown): RequestView {
  const fields = objectOf(body)
  const { items, ...read } = readConversation(fields)
  return {
    ...viewOf({ ...read, items: items.filter((item) => item.type !== 'reasoning') }),
    head: without(fields, 'messages'),
    tools: arrayOf(fields['tools']).map((tool) => toolView(objectOf(objectOf(tool)['function']), 'parameters')),
    outputSchema: objectOf(objectOf(fields['response_format'])['json_schema'])['schema'],
  }
}
