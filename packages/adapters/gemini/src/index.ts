export { geminiCapabilities } from './capabilities.ts'
export { createGemini, gemini, type GeminiOptions } from './options.ts'
export { geminiGenerate, type GeminiGenerateOptions } from './wire.ts'
