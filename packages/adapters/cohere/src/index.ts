export { cohereCapabilities } from './capabilities.ts'
export { cohere, createCohere } from './options.ts'
export { cohereChat } from './wire.ts'
