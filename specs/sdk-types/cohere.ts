import type * as wire from '../node_modules/cohere-ai/dist/serialization/index.d.ts'

/** Requests as they go over the wire, in types that the package does not export: its own speak in camel case. */
export type Request = wire.V2ChatRequest.Raw & { stream?: boolean }
export type Body = wire.V2ChatResponse.Raw
export type Event = wire.V2ChatStreamResponse.Raw
