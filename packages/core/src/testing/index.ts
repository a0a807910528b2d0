export { askOnce, type AskedOnce } from './ask-once.ts'
export { decodeEvents, type DecodedEvents } from './decode-events.ts'
export { orderFaults, warningFaults, wordFaults, type WordFaultsOptions } from './event-faults.ts'
export { fakeClock, type FakeClock } from './fake-clock.ts'
export {
  scriptedAdapter,
  type RecordedTurn,
  type ScriptedAdapter,
  type ScriptedAdapterOptions,
  type ScriptedPart,
  type ScriptedTurn,
} from './scripted-adapter.ts'
export { decodeStream, decodeWhole, encodeTurn, type DecodeOptions, type EncodedTurn } from './wire-turn.ts'
export { wholeWarnings } from './whole-warnings.ts'
