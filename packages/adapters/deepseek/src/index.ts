export { deepseekCapabilities } from './capabilities.ts'
export { createDeepSeek, deepseek } from './options.ts'
export { deepseekDialect } from './dialect.ts'
