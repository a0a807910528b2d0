export { type CassetteHandlers, cassetteHandlers } from './cassette-handlers.ts'
