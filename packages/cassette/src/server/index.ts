export { type CassetteServer, serveCassette, type ServeOptions } from './serve-cassette.ts'
