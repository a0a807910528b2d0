export { ollamaCapabilities } from './capabilities.ts'
export { createOllama, ollama } from './options.ts'
export { ollamaChat } from './wire.ts'
