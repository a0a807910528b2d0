export { xaiCapabilities, xaiChatCapabilities } from './capabilities.ts'
export { xaiChatDialect } from './dialect.ts'
export { createXai, xai, type XaiOptions, type XaiProvider } from './options.ts'
