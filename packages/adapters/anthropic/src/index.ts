export { anthropicCapabilities } from './capabilities.ts'
export { anthropic, createAnthropic, type AnthropicOptions } from './options.ts'
export { anthropicMessages, type AnthropicMessagesOptions } from './wire.ts'
