export { deepseekCapabilities } from './capabilities.ts'
export { createDeepSeek, deepseek } from './deepseek.ts'
export { deepseekDialect } from './dialect.ts'
