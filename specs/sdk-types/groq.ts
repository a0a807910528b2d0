import type {
  ChatCompletion,
  ChatCompletionChunk,
  ChatCompletionCreateParams,
} from 'groq-sdk/resources/chat/completions'

export type Request = ChatCompletionCreateParams
export type Body = ChatCompletion
export type Chunk = ChatCompletionChunk
