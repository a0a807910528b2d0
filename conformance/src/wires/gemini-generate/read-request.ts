import { arrayOf, objectOf } from '@steploop/core/adapter'
import { without } from '../../json.ts'
import { isModels, type Item } from '../read/conversation.ts'
import type { RequestView } from '../../request-view.ts'
import { toolView, withFormatApart } from '../read/tool-view.ts'
import { viewOf } from '../read/view-of.ts'
import { readConversation } from './read-conversation.ts'

/** Gemini: `contents` of two roles, results as `functionResponse` parts of the user. Calls may go without ids, then their order pairs them. */
export function readRequest(body: unknown): RequestView {
  const fields = objectOf(body)
  const { mode } = objectOf(objectOf(fields['toolConfig'])['functionCallingConfig'])
  const generation = objectOf(fields['generationConfig'])
  const declared = arrayOf(fields['tools']).flatMap((tool) => arrayOf(objectOf(tool)['functionDeclarations']))
  const { toolConfig, ...rest } = without(fields, 'contents')
  const head = toolConfig === undefined ? rest : { ...rest, tool_choice: toolConfig }
  const { items, ...read } = readConversation(fields)
  return {
    ...viewOf({ ...read, items: numbered(items) }),
    head: withFormatApart(head, 'generationConfig', 'responseMimeType', 'responseJsonSchema', 'responseSchema'),
    tools: declared.map((declaration) => ({
      ...toolView(objectOf(declaration), 'parametersJsonSchema', 'parameters'),
      // Calls are held to their schemas in these modes, whatever tool they are of.
      strict: mode === 'VALIDATED' || mode === 'ANY',
    })),
    outputSchema: generation['responseJsonSchema'] ?? generation['responseSchema'],
  }
}

/** Calls without an id have their place for one, and so have their results, in the same order. */
function numbered(items: readonly Item[]): readonly Item[] {
  let waiting: (string | undefined)[] = []
  return items.map((item, index) => {
    const before = items[index - 1]
    if (isModels(item) && before !== undefined && !isModels(before)) waiting = []
    if (item.type === 'call' && item.id === undefined) {
      waiting.push(item.path)
      return { ...item, id: item.path }
    }
    return item.type === 'result' ? { ...item, id: item.id ?? waiting.shift() } : item
  })
}
