export { HarnessError, type HarnessErrorCode } from './harness-error.ts'
export { defineSubject, type Quirk, type Subject, type SubjectAdapterOptions } from './subject.ts'
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
