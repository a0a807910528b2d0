import { arrayOf, isObject, objectOf, textOf, type JsonObject } from '@steploop/core/adapter'
import { contentText, memberText, without } from '../../json.ts'
import type { ConversationItem, RequestView } from '../../request-view.ts'
import { choiceView, toolView, withFormatApart } from '../tool-view.ts'

/** Gemini: `contents` of two roles, results as `functionResponse` parts of the user. Calls may go without ids, then their order pairs them. */
export function readRequest(body: unknown): RequestView {
  const fields = objectOf(body)
  const system = contentText(objectOf(fields['systemInstruction'])['parts'])
  const calling = objectOf(objectOf(fields['toolConfig'])['functionCallingConfig'])
  const { mode } = calling
  const generation = objectOf(fields['generationConfig'])
  const declared = arrayOf(fields['tools']).flatMap((tool) => arrayOf(objectOf(tool)['functionDeclarations']))
  const { toolConfig, ...rest } = without(fields, 'contents')
  const head = toolConfig === undefined ? rest : { ...rest, tool_choice: toolConfig }
  return {
    head: withFormatApart(head, 'generationConfig', 'responseMimeType', 'responseJsonSchema', 'responseSchema'),
    tools: declared.map((declaration) => ({
      ...toolView(objectOf(declaration), 'parametersJsonSchema', 'parameters'),
      // Calls are held to their schemas in these modes, whatever tool they are of.
      strict: mode === 'VALIDATED' || mode === 'ANY',
    })),
    toolChoice: choiceView(mode === undefined ? undefined : calling),
    outputSchema: generation['responseJsonSchema'] ?? generation['responseSchema'],
    instructions: system === '' ? undefined : system,
    items: itemsOf(arrayOf(fields['contents'])),
    continuation: undefined,
  }
}

function itemsOf(contents: readonly unknown[]): readonly ConversationItem[] {
  const items: ConversationItem[] = []
  let unnumbered: string[] = []
  contents.forEach((content, index) => {
    const { role, parts } = objectOf(content)
    if (role === 'model') unnumbered = []
    arrayOf(parts).forEach((part, at) => {
      items.push(itemOf(objectOf(part), role, `contents[${index}].parts[${at}]`, unnumbered))
    })
  })
  return items
}

/** `unnumbered`: calls without an id that wait for their results. */
function itemOf(part: JsonObject, role: unknown, path: string, unnumbered: string[]): ConversationItem {
  const { functionCall, functionResponse, text } = part
  if (isObject(functionCall)) {
    const id = textOf(functionCall['id'])
    if (id === undefined) unnumbered.push(path)
    return {
      type: 'call',
      id: id ?? path,
      toolName: memberText(functionCall, 'name'),
      input: functionCall['args'] ?? {},
      path,
    }
  }
  if (isObject(functionResponse)) {
    const id = textOf(functionResponse['id']) ?? unnumbered.shift() ?? ''
    return { type: 'result', id, text: outputText(functionResponse['response']), path }
  }
  if (typeof text !== 'string' || part['thought'] === true)
    return { type: 'other', kind: Object.keys(part).join('+'), path }
  return { type: role === 'model' ? 'text' : 'user', text, path }
}

/** What is no object stands in `output`; an object is the response itself. */
function outputText(response: unknown): string {
  const { output, ...others } = objectOf(response)
  const value = output !== undefined && Object.keys(others).length === 0 ? output : response
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
}
