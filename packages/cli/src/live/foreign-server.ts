import { AdapterError, LoopError, type Adapter } from '@steploop/core'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FaultOutcome } from './trials/faults.ts'
import { brokenInvariants } from './trials/invariants.ts'
import { baseURLAt, errorWords, candidateName, trialTools, tryRun, type Candidate } from './trials/trial.ts'
import { liveError } from './servers/live-error.ts'
import { freePort } from './servers/server-process.ts'

/** A server that is up already and must not be killed. */
export interface ForeignServer {
  readonly url: string
  /** Default: the subject's. */
  readonly model: string | undefined
  readonly apiKeyOf: (candidate: Candidate) => string | undefined
  /** Milliseconds until the first answer: a model may have to be loaded. */
  readonly patience: number
}

/**
 * Asks for a word.
 *
 * @throws {HarnessError} `usage` when the server is not there, or does not speak what the subject speaks
 */
export async function probe(candidate: Candidate, server: ForeignServer): Promise<void> {
  const { result, error } = await tryRun({
    model: adapterOf(candidate, server),
    mode: candidate.mode,
    prompt: 'Say yes.',
    maxOutputTokens: 16,
    maxRetries: 0,
    timeout: server.patience,
  })
  const where = baseURLAt(server.url, candidate.subject)
  if (result?.stopReason === 'timeout')
    throw liveError(
      `${where} took a request, but gave no answer within ${server.patience / 1000} s.`,
      'Is its model loaded? Try a smaller one, or a longer --patience.',
    )
  if (result !== undefined) return
  const cause = LoopError.isInstance(error) ? error.cause : error
  const said = AdapterError.isInstance(cause) ? cause.message : String(cause)
  throw liveError(
    `${where} does not answer in the wire format ${candidate.subject.wire} of '${candidate.subject.name}'. ${said}`,
    fixOf(cause),
  )
}

function fixOf(cause: unknown): string {
  if (!AdapterError.isInstance(cause)) return 'This is no failure of the server.'
  if (cause.code === 'connection') return 'Check the address, and that the server runs.'
  if (cause.code === 'authentication' || cause.code === 'missing-api-key')
    return 'Set the variable of the key, which the config names.'
  if (cause.code === 'not-found') return 'Name a model that it has with --model, or correct the address.'
  return 'Choose another subject with --only, or correct the address.'
}

function adapterOf(candidate: Candidate, { url, model, apiKeyOf }: ForeignServer): Adapter {
  const { subject } = candidate
  return subject.adapter({ baseURL: baseURLAt(url, subject), model, apiKey: apiKeyOf(candidate) ?? 'none' })
}

type Fault = (candidate: Candidate, server: ForeignServer) => Promise<readonly string[]>

const longText = { prompt: 'Count from 1 to 400, in words.', maxOutputTokens: 300, maxRetries: 0 } as const

/** What a caller alone can do to a server: leave it, abort, read slowly, ask where there is no server. */
export async function tryCallerFaults(
  candidates: readonly Candidate[],
  server: ForeignServer,
  onTrial: (fault: string, candidate: string) => void,
): Promise<readonly FaultOutcome[]> {
  const outcomes: FaultOutcome[] = []
  for (const [fault, attempt] of Object.entries(faults)) {
    const broken: string[] = []
    let good = 0
    for (const candidate of candidates) {
      onTrial(fault, candidateName(candidate))
      const problems = await attempt(candidate, server)
      if (problems.length === 0) good++
      broken.push(...problems.map((problem) => `${candidateName(candidate)}: ${problem}`))
    }
    outcomes.push({ server: server.url, fault, tried: candidates.length, good, broken })
  }
  return outcomes
}

const faults: Readonly<Record<string, Fault>> = {
  async 'the caller aborts'(candidate, server) {
    const controller = new AbortController()
    let at = 0
    const abort = (): void => {
      at ||= performance.now()
      controller.abort(new Error('enough'))
    }
    const timer = setTimeout(abort, candidate.mode === 'generate' ? 300 : 5000)
    const onEvent = (_: unknown, index: number): undefined => void (index === 5 && abort())
    const model = adapterOf(candidate, server)
    const trial = await tryRun({ ...longText, model, mode: candidate.mode, abortSignal: controller.signal, onEvent })
    clearTimeout(timer)
    // A quick server was done before.
    if (trial.result !== undefined) return []
    const waited = performance.now() - at
    const late = waited > 3000 ? [`it settled ${Math.round(waited)} ms after the abort`] : []
    const isAborted = LoopError.isInstance(trial.error) && trial.error.code === 'aborted'
    return isAborted ? late : [`it ended with ${errorWords(trial.error)}`, ...late]
  },
  async 'the reader leaves'(candidate, server) {
    if (candidate.mode === 'generate') return []
    const model = adapterOf(candidate, server)
    await tryRun({ ...longText, model, mode: 'stream', onEvent: (_, index) => (index === 3 ? 'leave' : undefined) })
    const next = await tryRun({ ...longText, maxOutputTokens: 8, model, mode: 'stream' })
    return next.error === undefined ? [] : [`the next run failed: ${errorWords(next.error)}`]
  },
  async 'the reader is slow'(candidate, server) {
    if (candidate.mode === 'generate') return []
    const onEvent = async (_: unknown, index: number): Promise<void> => void (index < 20 && (await sleep(20)))
    const trial = await tryRun({ ...longText, model: adapterOf(candidate, server), mode: 'stream', onEvent })
    return trial.error === undefined
      ? brokenInvariants(trial, [], server.patience)
      : [`it failed: ${errorWords(trial.error)}`]
  },
  async 'six at once'(candidate, server) {
    const { tools } = trialTools()
    const model = adapterOf(candidate, server)
    const prompt = 'What is the weather in Zürich?'
    const runs = Array.from({ length: 6 }, async () =>
      tryRun({ model, mode: candidate.mode, prompt, tools, maxSteps: 2, maxOutputTokens: 64 }),
    )
    return (await Promise.all(runs)).flatMap(({ error }) => (error === undefined ? [] : [errorWords(error)]))
  },
  async 'nobody there'(candidate) {
    const model = adapterOf(candidate, {
      url: `http://127.0.0.1:${await freePort()}`,
      model: undefined,
      apiKeyOf: () => undefined,
      patience: 0,
    })
    const { error } = await tryRun({ ...longText, model, mode: candidate.mode })
    const code = LoopError.isInstance(error) && AdapterError.isInstance(error.cause) ? error.cause.code : undefined
    return code === 'connection' ? [] : [`it failed with ${errorWords(error)}, not with connection`]
  },
}
