export { xaiCapabilities, xaiChatCapabilities } from './capabilities.ts'
export { xaiChatDialect } from './chat-dialect.ts'
export { createXai, xai, type XaiOptions, type XaiProvider } from './xai.ts'
