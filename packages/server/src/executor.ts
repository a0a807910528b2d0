import type { ToolSet } from '@steploop/core'
import type { JsonObject } from './json.ts'
import type { GatewayView } from './gateway-items.ts'

export interface ExecutorContext {
  readonly tenant: string
  readonly signal: AbortSignal
  /** `Adapter.provider` of the model that is asked. */
  readonly provider: string
  /** Where the tool stands in the request, for errors. */
  readonly param: string
}

/** The tools of one declaration, ready to run. */
export interface OpenedTools {
  readonly tools: ToolSet
  /** How calls of the tool are shown. */
  readonly view: (toolName: string) => GatewayView
  /** Items that come before all others: what a server was found to have. */
  readonly listed?: readonly JsonObject[] | undefined
  /** The run is over. */
  readonly close?: (() => Promise<void>) | undefined
}

/** Runs the calls of one type of tools that clients declare and the server runs. */
export interface Executor {
  /** The types that it takes: `web_search`, `mcp` and the like. */
  readonly types: readonly string[]
  /** `undefined`: not by this one, so the next of the type is asked. Throws `ApiError` for a declaration that cannot be used. */
  open(declared: JsonObject, context: ExecutorContext): Promise<OpenedTools | undefined>
}
