import { existsSync } from 'node:fs'
import { printCassette, readCassette, writeCassette, type Cassette, type Origin } from '@steploop/cassette'
import { createRecorder, simulatorHeader, type Recorder } from '@steploop/cassette/record'
import type { Mode } from '@steploop/core'
import { cassettePath } from '../cassette-path.ts'
import type { Evidence } from '../evidence.ts'
import { notApplicable } from '../runner/capability.ts'
import { existsFor } from '../runner/exists.ts'
import { judgeCase } from '../runner/judge-case.ts'
import { replayFetch, replayProblems } from '../runner/front-ends.ts'
import { canary, playScenario } from '../runner/play-scenario.ts'
import type { Scenario } from '../scenario.ts'
import { startSimulator, type Simulator } from '../simulator/index.ts'
import type { Subject } from '../subject.ts'
import { suiteVersion } from '../suite-version.ts'
import { lineDiff } from '../trace/line-diff.ts'
import { traceOf } from '../trace/trace.ts'
import { canonicalJson } from '../wires/json.ts'
import { deriveCassette, type Derivation } from './derive-cassette.ts'

export interface RecordOptions {
  readonly subject: Subject
  readonly scenario: Scenario
  readonly mode: Mode
  /** `simulator`: one in this process, over loopback HTTP, playing the scenario's script. Otherwise the server to record. */
  readonly from: 'simulator' | RecordedServer
  /** For a server that is no simulator. */
  readonly apiKey?: string | undefined
  /** Day of the recording, `YYYY-MM-DD`. Default: today. */
  readonly date?: string | undefined
  /** Milliseconds that one run may take. Default: 60,000. */
  readonly deadline?: number | undefined
}

export interface RecordedServer {
  readonly baseURL: string
  /** No real model answers there, so the recording says `simulated`. Our own simulators say so themselves. Default false. */
  readonly simulated?: boolean | undefined
}

export interface RecordOutcome {
  readonly path: string
  /**
   * `unchanged`: but for its date the recording is what the file holds already, so the file stays as it is.
   * `not-applicable`: the scenario does not apply to this adapter in this mode, so it was not played.
   */
  readonly status: 'written' | 'unchanged' | 'refused' | 'not-applicable'
  /** Why nothing was written. */
  readonly problems: readonly string[]
}

/**
 * Records one scenario in one mode: plays it against the server, replays what was recorded and requires the same trace, holds it against
 * the golden skeleton and all checks, scans for secrets, and only then writes the file, in one step.
 *
 * @throws {CassetteError} what recording and writing throw, such as `secret-found`; nothing is written then
 */
export async function recordScenario(options: RecordOptions): Promise<RecordOutcome> {
  const { subject, scenario, mode } = options
  const path = cassettePath(subject, scenario.id, mode)
  if (!existsFor(scenario, subject, mode)) return { path, status: 'not-applicable', problems: [] }
  const { capabilities } = subject.adapter({ apiKey: canary })
  const reason = notApplicable(scenario, capabilities, { mode, subject })
  if (reason !== undefined) return { path, status: 'not-applicable', problems: [reason] }
  const { cassette, evidence, refusals } =
    scenario.derived === undefined ? await record(options) : derive(options, scenario.derived)
  const problems = [...refusals, ...(await verify(options, cassette, evidence))]
  if (problems.length > 0) return { path, status: 'refused', problems }
  if (isKnown(path, cassette)) return { path, status: 'unchanged', problems }
  writeCassette(path, cassette)
  return { path, status: 'written', problems }
}

type Played = Omit<Evidence, 'replayProblems'>

/** What is made from another cassette needs no server, whatever the recording is from. */
function derive({ subject, scenario, mode }: RecordOptions, derivation: Derivation): Recorded {
  return { cassette: deriveCassette(subject, scenario.id, derivation, mode), evidence: undefined, refusals: [] }
}

interface Recorded {
  readonly cassette: Cassette
  /** `undefined`: nothing was played yet. */
  readonly evidence: Played | undefined
  /** What the simulator refused, or was not asked for. */
  readonly refusals: readonly string[]
}

async function record(options: RecordOptions): Promise<Recorded> {
  const { subject, scenario, from, deadline = 60_000 } = options
  if (from !== 'simulator') {
    const recorder = recorderOf(options, from.baseURL)
    const apiKey = isRefused(scenario) ? canary : (options.apiKey ?? canary)
    const evidence = await playScenario({ ...options, deadline, apiKey, fetch: recorder.fetch })
    return { cassette: recorder.finish(), evidence, refusals: [] }
  }
  const simulator = await startSimulator({ wire: subject.wire, script: scenario.script, baseURL: subject.baseURL })
  try {
    const recorder = recorderOf(options, simulator.url)
    const evidence = await playScenario({ ...options, deadline, fetch: recorder.fetch })
    return { cassette: recorder.finish(), evidence, refusals: refusalsOf(simulator) }
  } finally {
    await simulator.close()
  }
}

/** The scenario wants the key to be refused, so a good one would be the wrong one. */
function isRefused({ script }: Scenario): boolean {
  return script.some((turn) => turn.type === 'failure' && turn.failure === 'bad-key')
}

function recorderOf(options: RecordOptions, baseURL: string): Recorder {
  const { subject, scenario, mode, from, date } = options
  const isSimulator = from === 'simulator'
  let simulated = from === 'simulator' || from.simulated === true
  const by = `@steploop/conformance ${suiteVersion}${isSimulator ? ' simulator' : ' recorder'}`
  const origin: Partial<Origin> & Pick<Origin, 'by'> = {
    by,
    ...(date !== undefined && { date }),
    // Known when the first response is there: a simulator says what it is.
    get kind() {
      if (simulated) return 'simulated'
      return isLoopback(baseURL) ? 'local' : 'live'
    },
  }
  return createRecorder({
    publicBaseURL: subject.baseURL,
    baseURL,
    header: { scenario: scenario.id, mode, provider: subject.name, wire: subject.wire, model: subject.model, origin },
    // The simulator's time stands still, so that recording again gives the same file.
    ...(isSimulator && { clock: () => 0 }),
    async fetch(input, init) {
      const response = await globalThis.fetch(input, init)
      simulated ||= response.headers.has(simulatorHeader)
      return response
    },
  })
}

function isLoopback(url: string): boolean {
  return /^(localhost|127\.|\[?::1)/.test(new URL(url).hostname)
}

function refusalsOf({ requests, remaining }: Simulator): readonly string[] {
  const refused = requests
    .filter(({ refusal }) => refusal !== undefined)
    .map(({ refusal, path }) => `the simulator refuses ${path} with ${refusal?.status}: ${refusal?.message}`)
  return remaining === 0 ? refused : [...refused, `${remaining} turns of the script were not asked for`]
}

/** Replays the recording: the trace has to be the same, and every check of the scenario has to hold. */
async function verify(
  options: RecordOptions,
  cassette: Cassette,
  recorded: Played | undefined,
): Promise<readonly string[]> {
  const { subject, scenario, mode, deadline = 60_000 } = options
  const { fetch, replay } = replayFetch(cassette, cassettePath(subject, scenario.id, mode))
  const replayed = await playScenario({ subject, scenario, mode, fetch, deadline })
  const evidence = { ...replayed, replayProblems: replayProblems(replay) }
  const checks = judgeCase(evidence, scenario, subject)
  const failures = checks.flatMap(({ id, failures: found }) =>
    found.map(({ message, where }) => `${id}: ${where === undefined ? '' : `${where}: `}${message}`),
  )
  const expected = traceOf((recorded ?? evidence).runs)
  const got = traceOf(evidence.runs)
  if (canonicalJson(got) === canonicalJson(expected)) return failures
  const diff = lineDiff(JSON.stringify(expected, undefined, 1), JSON.stringify(got, undefined, 1))
  const lines = diff.split('\n').filter((line) => !line.startsWith('  '))
  return [
    `the replay gives another trace than the recording (- recorded, + replayed):\n${lines.slice(0, 12).join('\n')}`,
    ...failures,
  ]
}

/** Whether the file differs in nothing but its date, and where the loopback interface happened to cut the chunks. */
function isKnown(path: string, cassette: Cassette): boolean {
  const { kind } = cassette.header.origin
  if ((kind !== 'simulated' && kind !== 'derived') || !existsSync(path)) return false
  try {
    const known = readCassette(path)
    return printCassette(timeless(known)) === printCassette(timeless(cassette))
  } catch {
    // Unreadable: it has to be written anew.
    return false
  }
}

function timeless(cassette: Cassette): Cassette {
  return {
    header: { ...cassette.header, origin: { ...cassette.header.origin, date: '2000-01-01' } },
    exchanges: cassette.exchanges.map(({ request, response }) => ({
      request,
      response: { ...response, chunks: [{ ms: 0, bytes: response.body.length }] },
    })),
  }
}
