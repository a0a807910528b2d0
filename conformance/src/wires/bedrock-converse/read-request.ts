import { arrayOf, isObject, objectOf, type JsonObject, type ToolChoice } from '@steploop/core/adapter'
import { memberText, parsed, without } from '../../json.ts'
import type { ConversationItem, RequestView } from '../../request-view.ts'
import { toolView, withFormatApart } from '../tool-view.ts'

/** Converse: blocks in alternating roles; a block is named by its only member. */
export function readRequest(body: unknown): RequestView {
  const fields = objectOf(body)
  const system = arrayOf(fields['system']).map((block) => memberText(objectOf(block), 'text'))
  const { tools, toolChoice } = objectOf(fields['toolConfig'])
  const format = objectOf(objectOf(objectOf(fields['outputConfig'])['textFormat'])['structure'])
  return {
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
    toolChoice: choiceOf(toolChoice),
    outputSchema: parsed(memberText(objectOf(format['jsonSchema']), 'schema')),
    instructions: system.length === 0 ? undefined : system.filter((text) => text !== '').join('\n'),
    items: arrayOf(fields['messages']).flatMap((message, index) => itemsOf(objectOf(message), `messages[${index}]`)),
    continuation: undefined,
  }
}

export function choiceOf(said: unknown): ToolChoice | undefined {
  if (!isObject(said)) return undefined
  if (isObject(said['tool'])) return { type: 'tool', toolName: memberText(said['tool'], 'name') }
  return 'any' in said ? 'required' : 'auto'
}

function itemsOf(message: JsonObject, path: string): readonly ConversationItem[] {
  const speaker = message['role'] === 'assistant' ? 'text' : 'user'
  return arrayOf(message['content']).flatMap((block, at) => {
    // A cache point says nothing: it moves with the end of the conversation.
    return 'cachePoint' in objectOf(block) ? [] : [itemOf(objectOf(block), speaker, `${path}.content[${at}]`)]
  })
}

function itemOf(block: JsonObject, speaker: 'text' | 'user', path: string): ConversationItem {
  const { text, toolUse, toolResult, citationsContent } = block
  if (typeof text === 'string') return { type: speaker, text, path }
  if (isObject(citationsContent)) {
    const pieces = arrayOf(citationsContent['content']).map((piece) => memberText(objectOf(piece), 'text'))
    return { type: speaker, text: pieces.join(''), path }
  }
  if (isObject(toolUse)) {
    const { input } = toolUse
    return { type: 'call', id: memberText(toolUse, 'toolUseId'), toolName: memberText(toolUse, 'name'), input, path }
  }
  if (isObject(toolResult)) {
    const isError = toolResult['status'] === 'error'
    return { type: 'result', id: memberText(toolResult, 'toolUseId'), text: resultText(toolResult), isError, path }
  }
  return { type: 'other', kind: Object.keys(block).join(' '), path }
}

function resultText({ content }: JsonObject): string {
  return arrayOf(content)
    .map(objectOf)
    .map((block) => ('json' in block ? JSON.stringify(block['json']) : memberText(block, 'text')))
    .join('')
}
