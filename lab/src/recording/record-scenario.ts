import { CassetteError, writeCassette, type Cassette, type Exchange } from '@steploop/cassette'
import { addUsage, type Usage } from '@steploop/core'
import type { KnownFailure } from '@steploop/conformance'
import { cassettePath, deriveCassette, clearMark, markRefused, NotSettled } from '@steploop/conformance/cli'
import { accountFailures, describeAccountFailure } from './account-failure.ts'
import { leftOut } from './left-out.ts'
import { playRecorded, type PlayedRecording, type PlayRecordedOptions, type RecordedServer } from './play-recorded.ts'
import { isRecordedAlready, verifyRecording, type VerifyOptions } from './verify-recording.ts'

export type { RecordedServer } from './play-recorded.ts'

export interface RecordOptions extends Omit<PlayRecordedOptions, 'deadline'> {
  /** Milliseconds that one run may take. Default: 60,000. */
  readonly deadline?: number | undefined
  /** Failures that do not stop the recording, as long as its exchanges are complete. Default: none. */
  readonly knownFailures?: readonly KnownFailure[] | undefined
  /** How often a model is asked when it does not do what the scenario says. Default: 3; a simulator is asked once. */
  readonly attempts?: number | undefined
}

export interface RecordOutcome {
  readonly path: string
  /**
   * - `written`, or `unchanged`: but for its date the recording is what the file holds already, so the file stays as it is.
   * - `refused`: the recording is not what the scenario says, does not replay, or holds what looks secret.
   * - `account-failure`: the provider refused the key, the permission, the credit or the rate.
   * - `unreachable`: nothing answers at the base URL. A server that is slow is none: that is `refused`.
   * - `interrupted`, `out-of-requests`: stopped by `signal` or `maxRequests`.
   * - `not-applicable`: the scenario does not apply to this adapter in this mode, so it was not played.
   * - `simulator-only`: no real model can be made to do what the scenario is about, so it was not played.
   *
   * Only `written` touches the file. `refused` leaves a mark beside the location of one that is not there yet: `<scenario>.<mode>.refused.txt`.
   */
  readonly status:
    | 'written'
    | 'unchanged'
    | 'refused'
    | 'account-failure'
    | 'unreachable'
    | 'interrupted'
    | 'out-of-requests'
    | 'not-applicable'
    | 'simulator-only'
  /** Why nothing was written. */
  readonly problems: readonly string[]
  /** What was left behind at the provider, each with its id. */
  readonly warnings: readonly string[]
  /** Requests sent, over all attempts. */
  readonly requests: number
  /** Tokens, over all attempts, as the adapter counted them; `undefined` when the provider said nothing. */
  readonly usage: Usage | undefined
  /** What went over the wire in the last attempt, whether it was written or not; nothing where nothing was played. */
  readonly exchanges: readonly Exchange[]
}

/**
 * Records one scenario in one mode: plays it against the server, replays what was recorded and requires the same trace, holds it against
 * the golden skeleton and all checks, scans for secrets, and only then writes the file, in one step. A real model that does something
 * else is asked again.
 *
 * @throws {CassetteError} what recording and writing throw, such as `secret-found`; nothing is written then
 * @throws {HarnessError} `usage` when a server answers whose origin is not declared
 */
export async function recordScenario(options: RecordOptions): Promise<RecordOutcome> {
  const path = cassettePath(options.subject, options.scenario.id, options.mode)
  const nothing = { path, problems: [], warnings: [], requests: 0, usage: undefined, exchanges: [] }
  const left = leftOut(options)
  if (left !== undefined) {
    clearMark(path)
    return { ...nothing, status: left.status, problems: left.reason }
  }
  try {
    const outcome = { ...nothing, ...(await recorded(options)) }
    if (outcome.status === 'refused') markRefused(path, outcome.problems)
    if (outcome.status === 'written' || outcome.status === 'unchanged') clearMark(path)
    return outcome
  } catch (error) {
    // Where nothing can be written no mark can, and the provider's answer was not at fault.
    if (CassetteError.isInstance(error) && error.code !== 'write-failed') markRefused(path, [error.message])
    throw error
  }
}

async function recorded(options: RecordOptions): Promise<Partial<RecordOutcome> & Judged> {
  const { subject, scenario, mode } = options
  const { derived } = scenario
  if (derived === undefined) return record(options)
  // What is made from another cassette needs no server, whatever the recording is from.
  return (await judge(options, deriveCassette(subject, scenario.id, derived, mode), undefined)).outcome
}

type Judged = Pick<RecordOutcome, 'status' | 'problems'>

async function record(options: RecordOptions): Promise<Omit<RecordOutcome, 'path'>> {
  const { deadline = 60_000, maxRequests = Number.POSITIVE_INFINITY } = options
  const attempts = options.attempts ?? (asksModel(options.from) ? 3 : 1)
  const warnings: string[] = []
  const spent: { requests: number; usage: Usage | undefined } = { requests: 0, usage: undefined }
  for (let attempt = 1; ; attempt++) {
    const played = await playRecorded({ ...options, deadline, maxRequests: maxRequests - spent.requests })
    warnings.push(...played.warnings)
    spent.requests += played.requests
    spent.usage = addUsage(spent.usage, played.usage)
    const { outcome, again } = await judgePlayed(options, played)
    if (again && attempt < attempts) continue
    const note = again && attempts > 1 ? [`asked ${attempts} times, this is the last answer`] : []
    const { exchanges } = played
    return { ...spent, warnings, exchanges, status: outcome.status, problems: [...note, ...outcome.problems] }
  }
}

/** A declared simulator, and one in this process, gives the same answer again. */
function asksModel(from: 'simulator' | RecordedServer): boolean {
  return from !== 'simulator' && (from.origin === 'live' || from.origin === 'local')
}

interface Judgement {
  readonly outcome: Judged
  /** Another answer of the model might do. */
  readonly again: boolean
}

const final = (status: RecordOutcome['status'], ...problems: readonly string[]): Judgement => {
  return { outcome: { status, problems }, again: false }
}

async function judgePlayed(options: RecordOptions, played: PlayedRecording): Promise<Judgement> {
  const { cassette, exchanges, stopped } = played
  if (stopped === 'silent') return final('refused', silent(options, exchanges))
  if (stopped === 'interrupted') return final(stopped, 'interrupted, the cassette is as it was')
  const [failure] = accountFailures(exchanges, options.scenario)
  if (failure !== undefined) {
    const problems = [describeAccountFailure(failure)]
    // The loop waited and went on, but the pause is no part of the scenario: without it the recording may be whole.
    const recovered = failure.status === 429 && failure.exchange < exchanges.length
    return { outcome: { status: 'account-failure', problems }, again: recovered }
  }
  if (stopped === 'out-of-requests') return final(stopped, `stopped after ${played.requests} requests, as told`)
  const isSilent = exchanges.length > 0 && exchanges.every(({ response }) => response.status === 0)
  if (options.from !== 'simulator') {
    if (isSlow(played)) return final('refused', slow(options.from, options.deadline))
    if (isSilent) return final('unreachable', ...unreachable(options.from, played))
  }
  if (cassette === undefined) return final('refused', undeclared)
  if (played.simulatorFault !== undefined) return final('refused', played.simulatorFault)
  if (played.rejections.length > 0) {
    const { broken, failed, excused } = await verifyRecording(cassette, played.evidence, verifyOptions(options))
    // A run that fails, as it is known to, leaves the rest of the script unasked: what it did ask is whole all the same.
    const failing = exchanges.length > 0 && played.evidence.runs.some(({ error }) => error !== undefined)
    if (!failing || !excused.includes('golden')) return final('refused', ...played.rejections, ...broken, ...failed)
  }
  return judge(options, cassette, played)
}

const undeclared =
  'no response came that could say where it is from: declare the origin of the recording (--live, --local or --simulated)'

/** The server took the request, and was still at it when the time was up. */
function isSlow({ evidence, exchanges }: PlayedRecording): boolean {
  const errors = [evidence.stopped, ...evidence.runs.map(({ error }) => error)]
  const isOpen = exchanges.length > 0 && exchanges.at(-1)?.response.ending !== 'eof'
  return isOpen && errors.some((error) => error instanceof NotSettled)
}

function slow({ baseURL }: RecordedServer, deadline = 60_000): string {
  return `${baseURL} took the request, but gave no whole answer within ${deadline / 1000} s: use a smaller model, a faster server, or a longer deadline`
}

function silent({ from }: RecordOptions, exchanges: readonly Exchange[]): string {
  const { status = 0, body } = exchanges.at(-1)?.response ?? {}
  const begun =
    status === 0
      ? 'has not begun'
      : `has status ${status} and ${body?.length ?? 0} bytes, goes on no more and does not end`
  const server = from === 'simulator' ? 'the simulator' : from.baseURL
  return `${server} has gone silent: its answer to request ${exchanges.length} ${begun}. Close the response when the answer is over`
}

function unreachable({ baseURL }: RecordedServer, { exchanges }: PlayedRecording): readonly string[] {
  const requests = exchanges.length === 1 ? 'a request' : `${exchanges.length} requests`
  return [`${requests} to ${baseURL} got no response: check the address, and that the server runs`]
}

function verifyOptions(options: RecordOptions): VerifyOptions {
  const { subject, scenario, mode, deadline = 60_000, knownFailures = [] } = options
  const today = options.date ?? new Date().toISOString().slice(0, 10)
  return { subject, scenario, mode, deadline, knownFailures, today }
}

/** What a replay lacks may have stood in a header. */
function leftOutNote(played: PlayedRecording | undefined): readonly string[] {
  const names = played?.headersLeftOut ?? []
  if (names.length === 0) return []
  return [
    `cassettes leave out these response headers: ${names.join(', ')}. Name those that the adapter reads in \`responseHeaders\` of the subject`,
  ]
}

/** Holds a cassette against the scenario, and writes it when all is well. */
async function judge(
  options: RecordOptions,
  cassette: Cassette,
  played: PlayedRecording | undefined,
): Promise<Judgement> {
  const { broken, failed } = await verifyRecording(cassette, played?.evidence, verifyOptions(options))
  const problems = [...broken, ...(broken.length > 0 ? leftOutNote(played) : []), ...failed]
  if (problems.length > 0) return { outcome: { status: 'refused', problems }, again: broken.length === 0 }
  const path = cassettePath(options.subject, options.scenario.id, options.mode)
  if (isRecordedAlready(path, cassette)) return final('unchanged')
  if (options.signal?.aborted === true) return final('interrupted', 'interrupted, the cassette is as it was')
  // The key is searched for whatever its variable is called.
  const env = { ...process.env, RECORDING_API_KEY: options.apiKey }
  writeCassette(path, cassette, { env })
  return final('written')
}
