import { arrayOf, isObject, objectOf } from '@steploop/core/adapter'
import { memberText, parsed, without } from '../../json.ts'
import type { RequestView } from '../../request-view.ts'
import { toolView, withFormatApart } from '../read/tool-view.ts'
import { viewOf } from '../read/view-of.ts'
import { readConversation } from './read-conversation.ts'

/** Converse: blocks in alternating roles; a block is named by its only member. */
export function readRequest(body: unknown): RequestView {
  const fields = objectOf(body)
  const { tools, toolChoice } = objectOf(fields['toolConfig'])
  const format = objectOf(objectOf(objectOf(fields['outputConfig'])['textFormat'])['structure'])
  return {
    ...viewOf(readConversation(fields)),
    head: {
      ...withFormatApart(without(fields, 'messages', 'system', 'toolConfig'), 'outputConfig', 'textFormat'),
      ...(tools !== undefined && { tools }),
      ...(toolChoice !== undefined && { tool_choice: toolChoice }),
    },
    tools: arrayOf(tools).flatMap((tool) => {
      const { toolSpec } = objectOf(tool)
      if (!isObject(toolSpec)) return []
      return [{ ...toolView(toolSpec), inputSchema: objectOf(toolSpec['inputSchema'])['json'] }]
    }),
    outputSchema: parsed(memberText(objectOf(format['jsonSchema']), 'schema')),
  }
}
