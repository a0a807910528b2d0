export type { ContentKind, Redact } from './content.ts'
export type { AgentOptions, SuspendedRuns, TelemetryOptions } from './options.ts'
export { telemetry } from './telemetry.ts'
