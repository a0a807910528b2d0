export { type CassetteHandlers, cassetteHandlers } from './cassette-handlers.ts'
export type { MissingCassette } from './record-missing.ts'
export { holdNetwork, useCassette, type UseCassetteOptions, type UsedCassette } from './use-cassette.ts'
export { withCassette } from './with-cassette.ts'
