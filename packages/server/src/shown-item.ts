import type { JsonObject } from './json.ts'

/** What is in an item only for who asked for it. */
const included: Readonly<Record<string, readonly [type: string, member: string]>> = {
  'reasoning.encrypted_content': ['reasoning', 'encrypted_content'],
  'file_search_call.results': ['file_search_call', 'results'],
  'code_interpreter_call.outputs': ['code_interpreter_call', 'outputs'],
}

/** Values of `include` that show more of an item. */
export const shownOnRequest: readonly string[] = [...Object.keys(included), 'web_search_call.action.sources']

export function shownItem(data: JsonObject, include: readonly string[]): JsonObject {
  if (data['type'] === 'mcp_approval_request') {
    // By which the answer finds its call.
    const { call_id: _internal, ...shown } = data
    return shown
  }
  const hidden = Object.entries(included).find(([name, [type]]) => type === data['type'] && !include.includes(name))
  if (hidden !== undefined) {
    const [, [, member]] = hidden
    return Object.fromEntries(Object.entries(data).filter(([name]) => name !== member))
  }
  if (data['type'] !== 'web_search_call' || include.includes('web_search_call.action.sources')) return data
  const { sources: _sources, ...action } = Object(data['action']) as JsonObject
  return { ...data, action }
}
