export { openrouterCapabilities } from './capabilities.ts'
export { openrouterDialect } from './dialect.ts'
export { createOpenRouter, openrouter, type OpenRouterOptions } from './options.ts'
