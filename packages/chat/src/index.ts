export type { LoadedChat } from './chat-backend.ts'
export { ChatRequestError, type ChatRequestErrorCode } from './chat-request-error.ts'
export type { ChatBeginning, ChatRun, ChatStore, ChatWrite, LogPage, StoredChat, WriteOutcome } from './chat-store.ts'
export {
  uiMessageStreamHeaders,
  type UiDataChunk,
  type UiFile,
  type UiFinishReason,
  type UiMessageChunk,
  type UiMessageMetadata,
  type UiRefusal,
  type UiSource,
  type UiToolState,
} from './chunks.ts'
export type { ChatOptions } from './chat-options.ts'
export { createChat, type Chat } from './create-chat.ts'
export { createUiEncoder, type UiEncoderOptions } from './encoder.ts'
export { memoryStore, type MemoryStoreOptions } from './memory-store.ts'
export { readChatRequest } from './read-chat-request.ts'
export { toUiMessages, type ToUiMessagesOptions } from './to-ui-messages.ts'
export { toUiMessageStream, type UiMessageStreamOptions } from './to-ui-message-stream.ts'
export type { UiMessage, UiPart, UiToolPart } from './ui-message.ts'
export type { UiPartOptions } from './ui-parts.ts'
export type { ErrorText } from './ui-texts.ts'
