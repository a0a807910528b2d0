import { isObject, textOf, type JsonObject, type ToolChoice } from '@steploop/core/adapter'
import { memberText, without } from '../../json.ts'
import type { ToolView } from '../../request-view.ts'

/** A declaration as most wire formats have it, with the members that may hold the schema of its input. */
export function toolView(declared: JsonObject, ...schemaNames: readonly string[]): ToolView {
  return {
    name: memberText(declared, 'name'),
    description: textOf(declared['description']),
    inputSchema: schemaNames.map((name) => declared[name]).find((schema) => schema !== undefined),
    strict: declared['strict'] === true,
  }
}

/**
 * What a wire format says about the choice among tools, in neutral words: `any` is `required`, and one name, wherever it stands, is that tool.
 * `undefined` where it says nothing.
 */
export function choiceView(said: unknown): ToolChoice | undefined {
  if (said === undefined) return undefined
  const texts = textsOf(said)
  const [name, ...others] = texts.filter(([key]) => key === 'name' || key === 'allowedFunctionNames')
  if (name !== undefined && others.length === 0) return { type: 'tool', toolName: name[1] }
  const words = texts.map(([, text]) => text.toLowerCase())
  if (words.includes('none')) return 'none'
  return words.includes('any') || words.includes('required') ? 'required' : 'auto'
}

/** Every text, with the name of the member that holds it. */
function textsOf(value: unknown, key = ''): readonly (readonly [key: string, text: string])[] {
  if (typeof value === 'string') return [[key, value]]
  if (Array.isArray(value)) return value.flatMap((item) => textsOf(item, key))
  return isObject(value) ? Object.entries(value).flatMap(([name, member]) => textsOf(member, name)) : []
}

/** A head whose format of the answer stands in a member beside other things: those stay, and it is under `response_format`. */
export function withFormatApart(head: JsonObject, member: string, ...names: readonly string[]): JsonObject {
  const holder = head[member]
  if (!isObject(holder) || !names.some((name) => name in holder)) return head
  const format = Object.fromEntries(names.filter((name) => name in holder).map((name) => [name, holder[name]]))
  const rest = without(holder, ...names)
  return { ...without(head, member), ...(Object.keys(rest).length > 0 && { [member]: rest }), response_format: format }
}
