export type {
  Cassette,
  CassetteHeader,
  Chunk,
  Ending,
  Exchange,
  Origin,
  OriginKind,
  RecordedRequest,
  RecordedResponse,
} from './cassette.ts'
export { CassetteError, type CassetteErrorCode, type CassetteErrorFacts } from './errors.ts'
export { readCassette, writeCassette, type WriteOptions } from './file/cassette-file.ts'
export { parseCassette } from './format/parse-cassette.ts'
export { printCassette } from './format/print-cassette.ts'
export {
  createReplay,
  type IncomingRequest,
  type MatchOptions,
  type Replay,
  type ReplayOptions,
} from './replay/replay.ts'
export { assertNoSecrets, type SecretFinding, scanCassette, type ScanOptions } from './redaction/scan-cassette.ts'
