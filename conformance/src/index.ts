export type { AppliesTo, Requirement } from './applies-to.ts'
export { HarnessError, type HarnessErrorCode } from './harness-error.ts'
export type { Report } from './report-schema.ts'
export { parseKnownFailures, type KnownFailure } from './report/known-failures.ts'
export type { ConformanceOptions } from './run/conformance-options.ts'
export { runConformance } from './run/run-conformance.ts'
export type { Scenario } from './scenario.ts'
export { scenarios } from './scenarios/index.ts'
export type { ScriptedAnswer, ScriptedFailure, ScriptedPart, ScriptedTurn } from './script.ts'
export {
  defineSubject,
  type PlayableTurn,
  type Quirk,
  type ScriptedSubject,
  type Subject,
  type SubjectAdapterOptions,
  type TurnScript,
} from './subject.ts'
