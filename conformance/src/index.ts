export { HarnessError, type HarnessErrorCode } from './harness-error.ts'
export {
  defineSubject,
  type PlayableTurn,
  type Quirk,
  type ScriptedSubject,
  type Subject,
  type SubjectAdapterOptions,
  type TurnScript,
} from './subject.ts'
export type {
  ProviderPlay,
  ProviderReply,
  ProviderRequest,
  SimulatedAnswer,
  SimulatedProvider,
  SimulatedTurn,
} from './wires/simulate/provider-script.ts'
export type { ConversationItem, RequestView, ToolView } from './wires/request-view.ts'
export type { ScriptedAnswer, ScriptedFailure, ScriptedPart, ScriptedTurn } from './script.ts'
export { disputes, type Dispute } from './traffic/disputed.ts'
export { hasFindings, renderTraffic } from './traffic/render-traffic.ts'
export type {
  Finding,
  FindingType,
  HandEditedReport,
  SurvivalReport,
  TrafficReport,
  WireReport,
} from './traffic/report.ts'
export { runTraffic, type TrafficOptions } from './traffic/run-traffic.ts'
export { hasRecordedFindings, renderRecorded } from './recorded/render-recorded.ts'
export type { FormatCounts, RecordedFinding, RecordedReport, RequiredCase } from './recorded/recorded-report.ts'
export { runRecorded, type RecordedOptions } from './recorded/run-recorded.ts'
export { cassettePath } from './cassette-path.ts'
export { adapterPackage, type AdapterPackage } from './claim/adapter-package.ts'
export { badgeOf, type Badge } from './claim/badge.ts'
export { claimSchema, type Claim, type ClaimedSubject } from './claim/claim-schema.ts'
export { compareClaim, type Verification, type VerifiedSubject } from './claim/compare-claim.ts'
export { parseClaim } from './claim/parse-claim.ts'
export { makeClaim, type ClaimFacts } from './claim/make-claim.ts'
export { prepareVerification, type Preparation, type VerificationFacts } from './claim/prepare-verification.ts'
export { printVerification, type PrintVerificationOptions } from './claim/print-verification.ts'
export {
  newestRequirements,
  requirementChanges,
  requirementsFolder,
  requirementsNow,
  shippedRequirements,
  type RequirementSet,
  type ShippedRequirements,
} from './run/requirement-set.ts'
export { caseAddress, checkAddress, type Check, type Failure } from './check.ts'
export type { Evidence, Execution, RunRecord, SentRequest, TurnRecord } from './evidence.ts'
export { finishedTranscript, type FinishedTranscript } from './stress/hand-over/finished-transcript.ts'
export { handOver, type HandOverOptions, type HandOverOutcome } from './stress/hand-over/hand-over.ts'
export type { DriftFinding, DriftGrade, DriftKind, DriftReport, WireDrift } from './drift/drift-report.ts'
export { folderDrift, type FolderDriftOptions } from './drift/folder-drift.ts'
export { renderDrift, renderDriftMarkdown } from './drift/render-drift.ts'
export { runDrift, type DriftOptions, type DriftSource } from './drift/run-drift.ts'
export { trafficDrift, type TrafficDriftOptions } from './drift/traffic-drift.ts'
export { leftOut, type LeftOut, type LeftOutOptions } from './recording/left-out.ts'
export { costOf, type Prices } from './prices.ts'
export { deriveCassette, type DerivableExchange, type Derivation } from './wires/derive-cassette.ts'
export { existsFor } from './run/exists.ts'
export {
  recordScenario,
  type RecordedServer,
  type RecordOptions,
  type RecordOutcome,
} from './recording/record-scenario.ts'
export type { CaseDetails } from './report/details-schema.ts'
export { pageTemplate } from './report/page-template.ts'
export { printHtml, withoutDetails, type PageData, type PageFinding, type PageReport } from './report/print-html.ts'
export { printJunit } from './report/print-junit.ts'
export { printMarkdown } from './report/print-markdown.ts'
export { mergeReports, type MergeOptions } from './run/merge-reports.ts'
export { printMatrix, type MatrixOptions } from './report/print-matrix.ts'
export { reportSchema, type CaseReport, type CheckReport, type Report, type Verdict } from './report-schema.ts'
export { defaultFrontEnds, frontEndNames, type FrontEndName } from './play/front-ends.ts'
export { parseKnownFailures, type KnownFailure } from './report/known-failures.ts'
export { askedOf } from './run/asked.ts'
export { countCases } from './run/plan-cases.ts'
export type { ConformanceOptions, Progress } from './run/conformance-options.ts'
export { partsOfSubject, runConformance } from './run/run-conformance.ts'
export { rehearse, type RehearseOptions } from './recording/rehearse.ts'
export type { Scenario, ScenarioContext } from './scenario.ts'
export { scenarios } from './scenarios/index.ts'
export { choiceShownBy, features, shownBy } from './shown-claims.ts'
export { onePerWire, prepareGround, type Ground, type GroundOptions } from './mutants/ground.ts'
export { mutants } from './mutants/index.ts'
export { falseClaims } from './mutants/claim-mutants.ts'
export { killMatrixFile } from './mutants/kill-matrix-file.ts'
export { killMatrix, killMatrixSchema, parseKillMatrix, type KillMatrix } from './mutants/kill-matrix.ts'
export type { Bug, Killer, Mutant } from './mutants/mutant.ts'
export { mutantsReport, type MutantsReport, type ReportFacts } from './mutants/mutants-report.ts'
export { printMutants, type PrintMutantsOptions } from './mutants/print-mutants.ts'
export { runMutants, type MutantProgress, type RunMutantsOptions } from './mutants/run-mutants.ts'
export type { MutantOutcome } from './mutants/try-mutant.ts'
export {
  typeMapOf,
  mergeTypeMaps,
  typesBeyond,
  type JsonType,
  type TypeMap,
  type TypeMapOptions,
  type TypeDifference,
} from './type-map.ts'
