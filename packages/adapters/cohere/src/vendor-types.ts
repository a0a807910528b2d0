import type { Cohere } from 'cohere-ai'

/** The vendor's package writes names in camel case and sends them in snake case; so what is sent is held against its types. */
type SnakeName<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${SnakeName<Rest>}`
  : Name

type Snake<Value> = Value extends readonly (infer Item)[]
  ? readonly Snake<Item>[]
  : Value extends object
    ? string extends keyof Value
      ? Value
      : { readonly [Key in keyof Value as Key extends string ? SnakeName<Key> : never]: Snake<Value[Key]> }
    : Value

export type WireRequest = Snake<Cohere.V2ChatRequest> & { readonly stream: boolean }
export type WireMessage = Snake<Cohere.ChatMessageV2>
export type WireAssistant = Extract<WireMessage, { role: 'assistant' }>
export type WireAssistantBlock = Exclude<NonNullable<WireAssistant['content']>, string>[number]
export type WireTool = Snake<Cohere.ToolV2>
export type WireCall = Snake<Cohere.ToolCallV2>
export type WireContent = Snake<Cohere.Content>
