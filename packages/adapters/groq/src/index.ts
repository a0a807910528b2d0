export { groqCapabilities } from './capabilities.ts'
export { groqDialect } from './dialect.ts'
export { createGroq, groq } from './options.ts'
