import type { ToolOutput } from '@steploop/core'
import { at, type ItemLog, type OpenItem } from './output-items.ts'
import type { JsonObject } from './json.ts'

/** How calls of one tool that runs here are shown. */
export interface GatewayView {
  /** The type of the item: `mcp_call`, `web_search_call`, `file_search_call`, `code_interpreter_call`. */
  readonly type: string
  /** A call waits for the client's approval before it runs. */
  readonly asks: boolean
  /** Members of the item beside `id`, `type` and `status`; `output` is `undefined` until there is one. */
  /** Whether an output is a failure. Default: an `error` is. */
  readonly isFailure?: ((output: ToolOutput) => boolean) | undefined
  show(call: { readonly inputText: string; readonly output: ToolOutput | undefined }): JsonObject
}

export interface GatewayViews {
  viewOf(toolName: string): GatewayView | undefined
  /** View of a tool that the model's provider runs: it may call it by names of its own. */
  providerView(toolName: string): GatewayView | undefined
  /** The id of the item that asked, where the client has just approved the call. */
  approval(toolCallId: string): string | undefined
  /** Lists of tools that a client is shown first. */
  readonly listed: readonly JsonObject[]
}

export interface GatewayWriter {
  readonly item: OpenItem
  running(): void
  finish(output: ToolOutput): void
  /** The run was cut off before there was a result. */
  abandon(): void
}

export interface GatewayCall {
  readonly step: number
  readonly id: string
  readonly view: GatewayView
  readonly toolName: string
  readonly inputText: string
  readonly approval?: string | undefined
}

/** Asks the client. The call goes on in another response. */
export function writeApproval(log: ItemLog, { step, view, inputText, id }: GatewayCall): GatewayWriter {
  const { name, server_label } = view.show({ inputText, output: undefined })
  const item = log.add(step, {
    type: 'mcp_approval_request',
    arguments: inputText,
    name,
    server_label,
    call_id: id,
  })
  item.callId = id
  log.finish(item, {})
  return { item, running() {}, finish() {}, abandon() {} }
}

export function writeGatewayCall(log: ItemLog, { step, view, inputText, approval, id }: GatewayCall): GatewayWriter {
  const { type } = view
  const asked = approval !== undefined && { approval_request_id: approval }
  const item = log.add(step, { type, status: 'in_progress', ...view.show({ inputText, output: undefined }), ...asked })
  item.callId = id
  const tell = (word: string): void => log.emit({ type: `response.${type}.${word}`, ...at(item) })
  tell('in_progress')
  if (type === 'mcp_call') {
    log.emit({ type: 'response.mcp_call_arguments.delta', ...at(item), delta: inputText })
    log.emit({ type: 'response.mcp_call_arguments.done', ...at(item), arguments: inputText })
  }
  if (type === 'code_interpreter_call') {
    const code = item.data['code']
    log.emit({ type: 'response.code_interpreter_call_code.delta', ...at(item), delta: code })
    log.emit({ type: 'response.code_interpreter_call_code.done', ...at(item), code })
  }
  return {
    item,
    running() {
      if (type !== 'mcp_call') tell(type === 'code_interpreter_call' ? 'interpreting' : 'searching')
    },
    finish(output) {
      if (item.done) return
      const failed = view.isFailure?.(output) ?? output.type === 'error'
      if (!failed) tell('completed')
      else if (type === 'mcp_call') tell('failed')
      log.finish(item, { ...view.show({ inputText, output }), status: failed ? 'failed' : 'completed' })
    },
    abandon() {
      if (item.done) return
      if (type === 'mcp_call') tell('failed')
      log.finish(item, { status: 'failed' })
    },
  }
}

/** What a server was found to have, before anything else. */
export function writeListed(log: ItemLog, listed: readonly JsonObject[]): void {
  for (const data of listed) {
    const { error, tools } = data
    const item = log.add(-1, { ...data, type: 'mcp_list_tools', tools: [] })
    log.emit({ type: 'response.mcp_list_tools.in_progress', ...at(item) })
    log.emit({ type: `response.mcp_list_tools.${error == null ? 'completed' : 'failed'}`, ...at(item) })
    log.finish(item, { tools })
  }
}
