export {
  type CassetteBudget,
  type CassetteProblem,
  type CassetteRule,
  inspectCassette,
  type InspectedCassette,
} from './cassette-problems.ts'
export { cassetteStats, type CassetteStats } from './cassette-stats.ts'
export { type CassetteDifference, diffCassettes, type DiffOptions } from './diff-cassettes.ts'
export type { NormalFormOptions } from './normal-form.ts'
export { scanText } from './scan-text.ts'
