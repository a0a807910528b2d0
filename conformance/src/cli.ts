/** What the command line and `@steploop/lab` take from the suite: internal, and changed without notice. */

export { requiredChoices, requiredFeatures } from './applies-to.ts'
export { cassettePath } from './cassette-path.ts'
export type { Evidence, SentRequest } from './evidence.ts'
export { canonicalJson, memberText, parsed } from './json.ts'
export { holdsIn, notApplicable } from './judge/applicability.ts'
export { goldenCheck } from './judge/golden-check.ts'
export { judgeCase } from './judge/judge-case.ts'
export { lineDiff } from './judge/trace/line-diff.ts'
export { printSkeleton, skeletonIn } from './judge/trace/print-skeleton.ts'
export { traceOf } from './judge/trace/trace.ts'
export { falseClaims } from './mutants/claim-mutants.ts'
export { onePerWire, prepareBaseline, type Baseline } from './mutants/baseline.ts'
export { mutants } from './mutants/index.ts'
export { killMatrixFile } from './mutants/kill-matrix-file.ts'
export { killMatrix, killMatrixSchema, parseKillMatrix, type KillMatrix } from './mutants/kill-matrix.ts'
export type { Mutant } from './mutants/mutant.ts'
export { mutantsReport, type MutantsReport } from './mutants/mutants-report.ts'
export { printMutants } from './mutants/print-mutants.ts'
export { runMutants } from './mutants/run-mutants.ts'
export type { MutantOutcome } from './mutants/try-mutant.ts'
export { NotSettled } from './deadline.ts'
export { frontEndNames, replayFetch, replayProblems, type FrontEndName } from './play/front-ends.ts'
export { onlySimulated } from './play/only-simulated.ts'
export { canary, playScenario, type PlayOptions } from './play/play-scenario.ts'
export { clearMark, markRefused } from './play/refused-mark.ts'
export { costOf } from './prices.ts'
export { reportSchema, verdictSchema, type CaseReport, type CheckReport, type Verdict } from './report-schema.ts'
export type { CaseDetails } from './details-schema.ts'
export { isKnownFailure } from './report/known-failures.ts'
export { countOrigins, originFacts, printOrigins, type OriginFacts } from './report/origin-facts.ts'
export { pageTemplate } from './report/page-template.ts'
export { alignRows } from './report/align-rows.ts'
export { paint, type Paint } from './report/paint.ts'
export { printHtml, withoutDetails, type PageData, type PageFinding, type PageReport } from './report/print-html.ts'
export { printJunit } from './report/print-junit.ts'
export { printMarkdown } from './report/print-markdown.ts'
export { printMatrix } from './report/print-matrix.ts'
export { tally } from './report/tally.ts'
export { askedOf } from './run/asked.ts'
export type { CaseProgress } from './run/conformance-options.ts'
export { existsFor } from './run/case-exists.ts'
export { mergeReports, type MergeOptions } from './run/merge-reports.ts'
export { countCases } from './run/plan-cases.ts'
export {
  asksFor,
  newestRequirements,
  requirementChanges,
  requirementsFolder,
  requirementsNow,
  shippedRequirements,
  type RequirementSet,
  type ShippedRequirements,
} from './run/requirement-set.ts'
export { partsOf } from './run/run-conformance.ts'
export { choiceShownBy, features, shownBy } from './shown-claims.ts'
export { finishedTranscript } from './stress/hand-over/finished-transcript.ts'
export { handOver } from './stress/hand-over/hand-over.ts'
export { cutAt, delicateOffsets, piecesOf, seededSizes, type Bytes } from './stress/split-offsets.ts'
export { coreVersion, suiteVersion } from './suite-version.ts'
export { typesBeyond, type TypeDifference, type TypeMap } from './type-map.ts'
export { isUnexpected, worstVerdict } from './verdict.ts'
export { readConversation } from './wires/any-format/read-conversation.ts'
export {
  isModels,
  type CallItem,
  type Conversation,
  type DeclaredTool,
  type Item,
  type ResultItem,
  type SentFile,
} from './wires/read/conversation.ts'
export { deriveCassette } from './wires/variants/derive-cassette.ts'
export { detectExchange, type Detected } from './wires/any-format/detect.ts'
export { isEventStream, messagePayloads } from './wires/read/event-stream.ts'
export { freedomOf, wireKit, wireKits } from './wires/index.ts'
export { usualBase } from './wires/any-format/provider-bases.ts'
export { eventLabels } from './wires/any-format/event-labels.ts'
export {
  bodylessStatuses,
  parseJsonFile,
  parseRecording,
  unreadable,
  type Interaction,
  type RecordedResponse,
  type Recording,
} from './wires/read/recording.ts'
export { opaqueStrings } from './wires/any-format/opaque-strings.ts'
export type { ResponsePart, ResponseUsage, ResponseView } from './wires/read/response-view.ts'
export { typesOfPayloads } from './wires/read/payload-types.ts'
export { scanStream, scanUnknown, type ScannedStream } from './wires/any-format/terminal-evidence.ts'
export type { Question, StoredObject } from './wires/wire-kit.ts'
