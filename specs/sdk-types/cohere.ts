// oxlint-disable-next-line no-restricted-imports -- the package exports its types in camel case alone, and sends these
import type * as wire from '../node_modules/cohere-ai/dist/serialization/index.d.ts'

/** As they go over the wire; the package itself speaks in camel case. Which of its two requests it is, the method says. */
export type Request = wire.V2ChatRequest.Raw & { stream?: boolean }
export type Body = wire.V2ChatResponse.Raw
export type Event = wire.V2ChatStreamResponse.Raw
