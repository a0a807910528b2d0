import type {
  ChatCompletion,
  ChatCompletionChunk,
  ChatCompletionCreateParams,
  ChatCompletionMessageParam,
} from 'openai/resources/chat/completions'
import type {
  Response,
  ResponseCreateParams,
  ResponseInputItem,
  ResponseOutputItem,
  ResponseStreamEvent,
} from 'openai/resources/responses/responses'

export type ResponsesRequest = ResponseCreateParams
export type ResponsesBody = Response
export type ResponsesEvent = ResponseStreamEvent
export type OutputItem = ResponseOutputItem
export type InputItem = ResponseInputItem
export type ChatRequest = ChatCompletionCreateParams
export type ChatBody = ChatCompletion
export type ChatChunk = ChatCompletionChunk
export type ChatMessage = ChatCompletionMessageParam
