export { mistralCapabilities } from './capabilities.ts'
export { mistralDialect } from './dialect.ts'
export { createMistral, mistral } from './options.ts'
