import type { Cassette, Exchange, OriginKind } from '@steploop/cassette'
import { bodiesEnded, createRecorder, simulatorHeader, type Recorder } from '@steploop/cassette/record'
import type { Usage } from '@steploop/core'
import { addUsage } from '@steploop/core'
import { HarnessError, type Scenario } from '@steploop/conformance'
import { type Evidence, canary, playScenario, type PlayOptions, suiteVersion, wireKit } from '@steploop/conformance/cli'
import { simulatorFault, startSimulator, type Simulator, type SimulatorOptions } from '@steploop/conformance/simulator'
import { payloadsOf } from '../cassette-tools/exchange-view.ts'
import { deleteStored } from './delete-stored.ts'
import { watchSilence } from './watch-silence.ts'

export interface RecordedServer {
  readonly baseURL: string
  /**
   * What answers there: `live`, the provider itself; `local`, a real model server on this machine or network; `simulated`, no real model.
   * It is never guessed: without it only a server that says itself that it is a simulator can be recorded.
   */
  readonly origin?: Extract<OriginKind, 'live' | 'local' | 'simulated'> | undefined
  /** Name and version of a `local` server, for the header of its cassettes. Default: not known. */
  readonly server?: string | undefined
}

export interface PlayRecordedOptions extends Pick<PlayOptions, 'subject' | 'scenario' | 'mode' | 'deadline'> {
  /** `simulator`: one in this process, over loopback HTTP, playing the scenario's script. Otherwise the server to record. */
  readonly from: 'simulator' | RecordedServer
  /** For a server that is no simulator. */
  readonly apiKey?: string | undefined
  /** Day of the recording, `YYYY-MM-DD`. Default: today. */
  readonly date?: string | undefined
  /** Milliseconds after which a simulated provider counts as silent for good. Default 10,000. */
  readonly silence?: number | undefined
  /** Stops at once: requests under way are aborted. */
  readonly signal?: AbortSignal | undefined
  /** Requests that may be sent; one more stops the recording. Default: no limit. */
  readonly maxRequests?: number | undefined
  /** Starts the simulator; given by tests, which let it drift. Default: `startSimulator`. */
  readonly simulate?: ((options: SimulatorOptions) => Promise<Simulator>) | undefined
}

export interface PlayedRecording {
  /** `undefined` when the recording was stopped, or when nothing answered whose origin is not declared. */
  readonly cassette: Cassette | undefined
  /** All that was recorded, also of a recording that gives no cassette. */
  readonly exchanges: readonly Exchange[]
  readonly evidence: Omit<Evidence, 'replayProblems'>
  /** What the simulator refused, or was not asked for. */
  readonly rejections: readonly string[]
  /** What the simulator itself did wrong: what came after it says nothing of the adapter. */
  readonly simulatorFault?: string | undefined
  /** Response headers that a cassette does not hold, though they may mean something: see `Subject.responseHeaders`. */
  readonly headersLeftOut: readonly string[]
  /** Set when the recording was stopped before its end. */
  readonly stopped: 'interrupted' | 'out-of-requests' | 'silent' | undefined
  /** Requests that left, those that failed among them. */
  readonly requests: number
  readonly usage: Usage | undefined
  /** What was left behind at the provider. */
  readonly warnings: readonly string[]
}

/**
 * Plays a scenario against a server and takes down its HTTP exchanges. What the recording made at the provider is deleted afterwards.
 *
 * @throws {CassetteError} what recording throws: a redirect, a request outside of the base URL, an untrue origin
 * @throws {HarnessError} `usage` when a server answers whose origin is not declared
 */
export async function playRecorded(options: PlayRecordedOptions): Promise<PlayedRecording> {
  const { subject, scenario, from, simulate = startSimulator } = options
  if (from !== 'simulator') {
    const apiKey = wantsRejection(scenario) ? canary : (options.apiKey ?? canary)
    return play({ ...options, apiKey }, from, from.origin)
  }
  const { wire, baseURL, model, simulate: own, readRequest } = subject
  const simulator = await simulate({
    wire,
    baseURL,
    script: scenario.script,
    ...(own !== undefined && { own: { model, simulate: own, readRequest, scenario: scenario.id } }),
  })
  try {
    // A key for a provider is not for our simulator, and stands in for nothing there.
    const played = await play({ ...options, apiKey: undefined }, { baseURL: simulator.url }, 'simulated')
    const fault = asked(simulator).find(({ rejection }) => rejection?.type === simulatorFault)?.rejection?.message
    return { ...played, simulatorFault: fault, rejections: [...played.rejections, ...rejectionsOf(simulator)] }
  } finally {
    await simulator.close()
  }
}

/** The scenario wants the key to be refused, so a good one would be the wrong one. */
function wantsRejection({ script }: Scenario): boolean {
  return script.some((turn) => turn.type === 'failure' && turn.failure === 'bad-key')
}

/** With each request to a server that is declared as simulated. */
const playHeaders = { scenario: 'x-steploop-scenario', mode: 'x-steploop-mode' } as const

/** A recording under way. */
interface Session {
  readonly recorder: Recorder
  /** Aborts it from inside: no more requests may be sent, or nothing more comes. */
  readonly halt: AbortController
  /** Aborted from outside, or by `halt`. */
  readonly stop: AbortSignal
  requests: number
  isSimulator: boolean
  /** What the server said that it plays, where that is something else. */
  readonly rejected: Set<string>
  /** Names of all that came. */
  readonly responseHeaders: Set<string>
  stopped: PlayedRecording['stopped']
  /** Credentials of the latest request. */
  headers: Headers
}

async function play(
  options: PlayRecordedOptions,
  server: RecordedServer,
  declared: RecordedServer['origin'],
): Promise<PlayedRecording> {
  const session = openSession(options, server, declared)
  // A simulator asks for pauses that nobody needs to keep.
  const played = { ...options, fetch: session.recorder.fetch, instantPauses: options.from === 'simulator' }
  const watch = watchSilence(session.recorder, options.silence, () => {
    // A real model may think for longer.
    if (!session.isSimulator) return
    session.stopped ??= 'silent'
    session.halt.abort()
  })
  const evidence = await untilStopped(session.stop, playScenario(played)).finally(watch.stop)
  await bodiesEnded(session.recorder, session.stop)
  const warnings = await tidyUp(session, options, server.baseURL)
  const exchanges = session.recorder.exchanges()
  const answered = exchanges.some(({ response }) => response.status > 0)
  if (declared === undefined && answered && !session.isSimulator) throw undeclared(server.baseURL)
  const stopped = session.stopped ?? (options.signal?.aborted === true ? 'interrupted' : undefined)
  const isWhole = stopped === undefined && (declared !== undefined || session.isSimulator)
  return {
    cassette: isWhole ? session.recorder.finish() : undefined,
    exchanges,
    evidence: evidence ?? notPlayed(options),
    rejections: [...session.rejected],
    headersLeftOut: headersLeftOut(session, exchanges),
    stopped,
    requests: session.requests,
    usage: evidence === undefined ? undefined : usageOf(evidence),
    warnings,
  }
}

function openSession(
  options: PlayRecordedOptions,
  { baseURL, server }: RecordedServer,
  declared: RecordedServer['origin'],
): Session {
  const { subject, scenario, mode, from, date, maxRequests = Number.POSITIVE_INFINITY } = options
  const halt = new AbortController()
  const stop = AbortSignal.any([halt.signal, ...(options.signal === undefined ? [] : [options.signal])])
  const recorder = createRecorder({
    publicBaseURL: subject.baseURL,
    baseURL,
    alsoRequestHeaders: subject.requestHeaders,
    alsoResponseHeaders: subject.responseHeaders,
    header: {
      scenario: scenario.id,
      mode,
      provider: subject.name,
      wire: subject.wire,
      model: subject.model,
      origin: {
        by: `@steploop/conformance ${suiteVersion}${from === 'simulator' ? ' simulator' : ' recorder'}`,
        ...(date !== undefined && { date }),
        ...(declared !== undefined && { kind: declared }),
        ...(server !== undefined && { server }),
      },
    },
    // The simulator's time stands still, so that recording again gives the same file.
    ...(from === 'simulator' && { clock: () => 0 }),
    async fetch(input, init) {
      if (session.requests >= maxRequests) {
        session.stopped ??= 'out-of-requests'
        halt.abort()
      }
      stop.throwIfAborted()
      session.requests++
      session.headers = credentials(new Headers(init?.headers))
      const signal = init?.signal == null ? stop : AbortSignal.any([init.signal, stop])
      const headers = new Headers(init?.headers)
      if (declared === 'simulated' && from !== 'simulator') tellPlay(headers, scenario.id, mode)
      const response = await globalThis.fetch(input, { ...init, headers, signal })
      session.isSimulator ||= response.headers.has(simulatorHeader)
      const plays = response.headers.get(playHeaders.scenario) ?? scenario.id
      if (plays !== scenario.id) session.rejected.add(`the server plays the scenario '${plays}', not '${scenario.id}'`)
      for (const name of response.headers.keys()) session.responseHeaders.add(name)
      return response
    },
  })
  const session: Session = {
    recorder,
    halt,
    stop,
    requests: 0,
    isSimulator: declared === 'simulated',
    rejected: new Set(),
    responseHeaders: new Set(),
    stopped: undefined,
    headers: new Headers(),
  }
  return session
}

const hopByHop =
  /^(?:date|connection|keep-alive|transfer-encoding|content-(?:length|encoding)|server|via|vary|x-steploop-.*)$/

function headersLeftOut({ responseHeaders }: Session, exchanges: readonly Exchange[]): readonly string[] {
  const kept = new Set(exchanges.flatMap(({ response }) => Object.keys(response.headers)))
  return [...responseHeaders].filter((name) => !kept.has(name) && !hopByHop.test(name)).toSorted()
}

/** A server that only plays a model has to know which scenario is played; cassettes do not hold it. */
function tellPlay(headers: Headers, scenario: string, mode: string): void {
  headers.set(playHeaders.scenario, scenario)
  headers.set(playHeaders.mode, mode)
}

function credentials(headers: Headers): Headers {
  return new Headers([...headers].filter(([name]) => !/^(?:content-|accept|transfer-encoding|user-agent)/.test(name)))
}

/** The result, or `undefined` as soon as the recording is stopped: nobody waits for what is under way then. */
function untilStopped<Result>(stop: AbortSignal, work: Promise<Result>): Promise<Result | undefined> {
  return new Promise((resolve, reject) => {
    const onStop = (): void => resolve(undefined)
    if (stop.aborted) onStop()
    stop.addEventListener('abort', onStop, { once: true })
    work.then(resolve, reject).finally(() => stop.removeEventListener('abort', onStop))
  })
}

function tidyUp(session: Session, { subject }: PlayRecordedOptions, baseURL: string): Promise<readonly string[]> {
  const { storedObject } = wireKit(subject.wire) ?? {}
  const stored = session.recorder.exchanges().flatMap((exchange) => {
    const { headers, body } = exchange.response
    return storedObject?.(exchange, payloadsOf(body, headers['content-type'] ?? '')) ?? []
  })
  const base = subject.baseURL.replace(/\/+$/, '')
  const real = baseURL.replace(/\/+$/, '')
  const realUrl = (url: string): string => (url.startsWith(base) ? real + url.slice(base.length) : url)
  return deleteStored(stored, { realUrl, headers: session.headers })
}

function usageOf({ runs }: Pick<Evidence, 'runs'>): Usage | undefined {
  return runs
    .flatMap(({ turns }) => turns.flatMap(({ events }) => events))
    .map((event) => (event.type === 'turn-end' ? event.usage : undefined))
    .reduce((sum, usage) => addUsage(sum, usage), undefined)
}

function notPlayed({ subject, scenario, mode }: PlayRecordedOptions): PlayedRecording['evidence'] {
  const { name, wire, model } = subject
  const stopped = 'the recording was stopped'
  const facts = { name, wire, model, provider: name }
  return { subject: facts, scenario: scenario.id, mode, runs: [], providerOptions: {}, canary, stopped }
}

function undeclared(baseURL: string): HarnessError {
  const what = `What answers at ${baseURL} does not say that it is a simulator, and the origin of a recording is never guessed.`
  const fix =
    'Declare it: --live for the provider itself, --local for a model server on this machine or network, --simulated for a program that only plays a model.'
  return new HarnessError('usage', `${what} ${fix}`)
}

/** The requests of the scenario: what is tidied up afterwards is none of them. */
function asked({ requests }: Simulator): Simulator['requests'] {
  return requests.filter(({ method }) => method !== 'DELETE')
}

function rejectionsOf(simulator: Simulator): readonly string[] {
  const { remaining } = simulator
  const refused = asked(simulator)
    .filter(({ rejection }) => rejection !== undefined)
    .map(({ rejection, path }) => `the simulator refuses ${path} with ${rejection?.status}: ${rejection?.message}`)
  // What is asked again is refused again.
  const distinct = [...new Set(refused)]
  return remaining === 0 ? distinct : [...distinct, `${remaining} turns of the script were not asked for`]
}
