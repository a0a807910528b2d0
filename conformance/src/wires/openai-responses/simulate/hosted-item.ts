import { arrayOf } from '@steploop/core/adapter'
import { pieces } from '../../simulate/pieces.ts'
import type { ScriptedProviderCall } from '../../simulate/scripted-answer.ts'
import type { AnswerContext, JsonObject } from '../../simulate/wire-simulation.ts'

/** An item of a tool that OpenAI runs itself. */
export type HostedItem = JsonObject & {
  readonly type: 'web_search_call' | 'code_interpreter_call'
  readonly id: string
}

/** What came of it is told only where the request asks for it: https://platform.openai.com/docs/guides/tools-code-interpreter */
export function hostedItem(call: ScriptedProviderCall, suffix: string, { request }: AnswerContext): HostedItem {
  const include = arrayOf(request['include'])
  const status = call.fails ? 'failed' : 'completed'
  if (call.tool === 'search') {
    const sources = [{ type: 'url', url: `https://example.com/?q=${encodeURIComponent(call.text)}` }]
    const included = include.includes('web_search_call.action.sources') ? { sources } : {}
    const action = { type: 'search', query: call.text, ...included }
    return { id: `ws_${suffix}`, type: 'web_search_call', status, action }
  }
  return {
    id: `ci_${suffix}`,
    type: 'code_interpreter_call',
    status,
    code: call.text,
    container_id: 'cntr_sim',
    outputs: include.includes('code_interpreter_call.outputs') ? [{ type: 'logs', logs: call.output }] : null,
  }
}

/** The item when it begins. */
export function emptyHostedItem(item: HostedItem): JsonObject {
  const { action: _later, ...rest } = item
  return { ...rest, status: 'in_progress', ...(item.type === 'code_interpreter_call' && { code: '', outputs: [] }) }
}

/** What is told while the tool runs. */
export function hostedEvents(
  item: HostedItem,
  location: JsonObject,
): readonly (JsonObject & { readonly type: string })[] {
  const state = (name: string) => ({ type: `response.${item.type}.${name}`, ...location })
  if (item.type === 'web_search_call') return ['in_progress', 'searching', 'completed'].map(state)
  const code = String(item['code'])
  return [
    state('in_progress'),
    ...pieces(code).map((delta) => ({ type: 'response.code_interpreter_call_code.delta', ...location, delta })),
    { type: 'response.code_interpreter_call_code.done', ...location, code },
    state('interpreting'),
    state('completed'),
  ]
}
