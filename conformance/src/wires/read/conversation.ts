import type { JsonObject, ToolChoice } from '@steploop/core/adapter'

/** A request as a conversation, with all that one loop needs to say it again and another to be compared with. */
export interface Conversation {
  /** In the order in which the model reads them; the system prompt first, wherever it stands. */
  readonly items: readonly Item[]
  readonly tools: readonly DeclaredTool[]
  /** `undefined`: the request says nothing of it. */
  readonly choice: ToolChoice | undefined
  /** The provider has what came before under this response id. */
  readonly previous: string | undefined
  /** Every other member of the body. */
  readonly settings: JsonObject
  /** The provider's own texts (signatures, encrypted items), in document order. */
  readonly opaque: readonly string[]
}

export interface DeclaredTool {
  readonly name: string
  /** `undefined`: a tool of the provider's own, or in a form that functions do not have. */
  readonly schema: JsonObject | undefined
  readonly description: string | undefined
  readonly strict: boolean | undefined
  /** Declaration as it stands in the body. */
  readonly declaration: JsonObject
}

export type Item = SaidItem & {
  /** Where it stands in the body. */
  readonly path?: string | undefined
  /** The format's kind of a call, or a result, that is not a function's. */
  readonly kind?: string | undefined
}

type SaidItem =
  | { readonly type: 'system' | 'user' | 'text' | 'refusal'; readonly text: string }
  | { readonly type: 'file'; readonly by: 'user' | 'model'; readonly file: SentFile }
  | CallItem
  | ResultItem
  /** Thoughts, as far as they can be read. What proves them is in `opaque`. */
  | { readonly type: 'reasoning'; readonly text: string }
  /** A block that only this provider has: a search that it ran, a reference. */
  | { readonly type: 'block'; readonly by: 'user' | 'model'; readonly kind: string; readonly block: JsonObject }

export interface CallItem {
  readonly type: 'call'
  /** `undefined`: the format or the client gave none. */
  readonly id: string | undefined
  readonly toolName: string
  /** Parsed arguments; their text where they are no JSON. */
  readonly input: unknown
}

export interface ResultItem {
  readonly type: 'result'
  readonly id: string | undefined
  /** Where the format says it. */
  readonly toolName: string | undefined
  /** A text, or what stands in its place as JSON. */
  readonly output: unknown
  /** The format's own flag for a call that failed; absent where it has none. */
  readonly isError?: boolean | undefined
  readonly files: readonly SentFile[]
}

export interface SentFile {
  readonly mediaType: string | undefined
  /** Base64. */
  readonly data: string | undefined
  readonly url: string | undefined
  readonly filename: string | undefined
}

/** Who says an item: the model, or its caller. */
export function isModels(item: Item): boolean {
  switch (item.type) {
    case 'text':
    case 'refusal':
    case 'call':
    case 'reasoning':
      return true
    case 'file':
    case 'block':
      return item.by === 'model'
    case 'result':
    case 'system':
    case 'user':
    default:
      return false
  }
}
