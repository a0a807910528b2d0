/** A server of the Responses API in front of any adapter. `createServer(options).fetch` is all; `/node` listens with it. */
export { createServer, type ResponsesServer } from './create-server.ts'
export type { Executor, ExecutorContext, OpenedTools } from './executor.ts'
export { providerTools, type ProviderToolsOptions, type ProviderToolType } from './executors/provider-tools.ts'
export type { GatewayView } from './gateway-items.ts'
export { type SealingKey } from './seal.ts'
export { defaultLimits, type Limits, type LoopDefaults, type Retention, type ServerOptions } from './server-options.ts'
