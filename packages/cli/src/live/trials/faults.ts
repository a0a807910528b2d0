import { LoopError, type Adapter } from '@steploop/core'
import { setTimeout as sleep } from 'node:timers/promises'
import { cutCalls } from './cut-calls.ts'
import { answered, failedWith, oneTerminal, type Problems } from './judge-trial.ts'
import {
  answerToCalls,
  baseURLAt,
  errorWords,
  essay,
  candidateName,
  trialWeights,
  trialTools,
  prompts,
  tryRun,
  type Candidate,
} from './trial.ts'
import { startServer, type RunningServer, type ServerKind } from '../servers/server-kind.ts'
import { freePort } from '../servers/server-process.ts'

export interface FaultsOptions {
  readonly kind: ServerKind
  readonly candidates: readonly Candidate[]
  /** Candidates whose wire format another server shows as well: calls that are cut are tried with them too, as each translation has its own way. */
  readonly others?: readonly Candidate[] | undefined
  /** How often a server is killed and revived, over all candidates. */
  readonly crashes: number
  /** Names of the faults. Default: all. */
  readonly only?: readonly string[] | undefined
  readonly signal: AbortSignal
  readonly onTrial: (fault: string, candidate: string) => void
}

export interface FaultOutcome {
  /** Name of the server. */
  readonly server: string
  readonly fault: string
  readonly tried: number
  readonly good: number
  readonly broken: readonly string[]
}

type Fault = (candidate: Candidate, servers: Servers) => Promise<Problems>

interface Servers {
  readonly start: (apiKey?: string) => Promise<RunningServer>
  /** Starts a server and does not wait until the server answers. */
  readonly launch: (port: number) => Promise<RunningServer>
  readonly adapter: (candidate: Candidate, server: Pick<RunningServer, 'url'>, apiKey?: string) => Adapter
}

/** Breaks a real server in every way that one machine allows, and says what runs made of it. */
export async function tryFaults(options: FaultsOptions): Promise<readonly FaultOutcome[]> {
  const { kind, candidates, others = [], crashes, signal, onTrial } = options
  const weights = trialWeights()
  const servers: Servers = {
    start: (apiKey) => startServer(kind, { weights, apiKey }),
    launch: (port) => kind.launch({ weights, port }),
    adapter: ({ subject }, { url }, apiKey = 'none') => subject.adapter({ baseURL: baseURLAt(url, subject), apiKey }),
  }
  const outcomes: FaultOutcome[] = []
  for (const [fault, attempt] of Object.entries(faults)) {
    if (options.only?.includes(fault) === false) continue
    const asked = fault === cutFault ? [...candidates, ...others] : candidates
    const times = fault.includes('revived') ? Math.ceil(crashes / candidates.length / 2) : 1
    const trials = asked.flatMap((candidate) => Array.from({ length: times }, () => candidate))
    const broken: string[] = []
    let tried = 0
    let good = 0
    for (const candidate of trials) {
      if (signal.aborted) break
      onTrial(fault, candidateName(candidate))
      tried++
      const problems = await attempt(candidate, servers).catch((error: unknown) => [
        `it cannot be tried: ${String(error)}`,
      ])
      good += problems.length === 0 ? 1 : 0
      broken.push(...problems.map((problem) => `${candidateName(candidate)}: ${problem}`))
    }
    outcomes.push({ server: kind.name, fault, tried, good, broken })
  }
  return outcomes
}

export const cutFault = 'the token limit cuts a call'

const faults: Readonly<Record<string, Fault>> = {
  'killed amid an answer': killed,
  'killed and revived amid an answer': revived,
  'killed and revived while a tool runs': revivedInTool,
  'not up yet': notUpYet,
  'never up': neverUp,
  'wrong key': wrongKey,
  'slower than the time that there is': tooSlow,
  'the caller aborts': aborted,
  'the reader leaves': left,
  'the reader is slow': slowReader,
  [cutFault]: cutCall,
}

/** With a server that is gone afterwards, whatever happens. */
async function served(servers: Servers, work: (server: RunningServer) => Promise<Problems>): Promise<Problems> {
  const server = await servers.start()
  try {
    return await work(server)
  } finally {
    await server.kill()
  }
}

async function killed(candidate: Candidate, servers: Servers): Promise<Problems> {
  return served(servers, async (server) => {
    const kill = (): void => void server.kill()
    const timer = candidate.mode === 'generate' ? setTimeout(kill, 250) : undefined
    const model = servers.adapter(candidate, server)
    const onEvent = (_: unknown, index: number): undefined => void (index === 15 && kill())
    const trial = await tryRun({ model, mode: candidate.mode, prompt: prompts.endless, maxRetries: 0, onEvent })
    clearTimeout(timer)
    return [...failedWith(trial, ['connection', 'incomplete-stream']), ...oneTerminal(trial)]
  })
}

async function revived(candidate: Candidate, servers: Servers): Promise<Problems> {
  let server = await servers.start()
  let again: Promise<void> | undefined
  const revive = (): void => {
    again ??= server.kill().then(async () => {
      server = await servers.launch(server.port)
    })
  }
  try {
    const timer = candidate.mode === 'generate' ? setTimeout(revive, 20) : undefined
    const model = servers.adapter(candidate, server)
    const onEvent = (_: unknown, index: number): undefined => void (index === 8 && revive())
    const trial = await tryRun({ model, mode: candidate.mode, prompt: prompts.essay, maxRetries: 5, onEvent })
    clearTimeout(timer)
    return [...answered(trial, essay), ...oneTerminal(trial)]
  } finally {
    await again
    await server.kill()
  }
}

async function revivedInTool(candidate: Candidate, servers: Servers): Promise<Problems> {
  let server = await servers.start()
  const { tools, ran } = trialTools(async () => {
    await server.kill()
    server = await servers.launch(server.port)
  })
  try {
    const model = servers.adapter(candidate, server)
    const trial = await tryRun({ model, mode: candidate.mode, prompt: prompts.calls, tools, maxRetries: 5 })
    const twice = ran.length === 2 ? [] : [`${ran.length} calls ran, there were 2`]
    return [...answered(trial, answerToCalls), ...twice]
  } finally {
    await server.kill()
  }
}

async function notUpYet(candidate: Candidate, servers: Servers): Promise<Problems> {
  const server = await servers.launch(await freePort())
  try {
    const model = servers.adapter(candidate, server)
    const { tools } = trialTools()
    return answered(
      await tryRun({ model, mode: candidate.mode, prompt: prompts.calls, tools, maxRetries: 5 }),
      answerToCalls,
    )
  } finally {
    await server.kill()
  }
}

async function neverUp(candidate: Candidate, servers: Servers): Promise<Problems> {
  const model = servers.adapter(candidate, { url: `http://127.0.0.1:${await freePort()}` })
  return failedWith(await tryRun({ model, mode: candidate.mode, prompt: prompts.essay, maxRetries: 1 }), ['connection'])
}

async function wrongKey(candidate: Candidate, servers: Servers): Promise<Problems> {
  const server = await servers.start('the-right-key')
  try {
    const model = servers.adapter(candidate, server, 'the-wrong-key')
    const trial = await tryRun({ model, mode: candidate.mode, prompt: prompts.essay, maxRetries: 3 })
    const retried = trial.took < 1500 ? [] : ['it was asked again']
    return [...failedWith(trial, ['authentication']), ...retried]
  } finally {
    await server.kill()
  }
}

async function tooSlow(candidate: Candidate, servers: Servers): Promise<Problems> {
  return served(servers, async (server) => {
    const model = servers.adapter(candidate, server)
    const { result, error, took } = await tryRun({ model, mode: candidate.mode, prompt: prompts.endless, timeout: 400 })
    if (result?.stopReason !== 'timeout')
      return [`it ended by ${result?.stopReason ?? errorWords(error)}, not by its timeout`]
    return took < 5000 ? [] : [`it ended after ${Math.round(took)} ms, its timeout is 400`]
  })
}

async function aborted(candidate: Candidate, servers: Servers): Promise<Problems> {
  return served(servers, async (server) => {
    const controller = new AbortController()
    let at = 0
    const abort = (): void => {
      at = performance.now()
      controller.abort(new Error('enough'))
    }
    const timer = candidate.mode === 'generate' ? setTimeout(abort, 250) : undefined
    const model = servers.adapter(candidate, server)
    const onEvent = (_: unknown, index: number): undefined => void (index === 15 && abort())
    const trial = await tryRun({
      model,
      mode: candidate.mode,
      prompt: prompts.endless,
      abortSignal: controller.signal,
      onEvent,
    })
    clearTimeout(timer)
    const waited = performance.now() - at
    const { error } = trial
    const problems =
      LoopError.isInstance(error) && error.code === 'aborted' ? [] : [`it ended with ${errorWords(error)}`]
    if (waited > 3000) problems.push(`it settled ${Math.round(waited)} ms after the abort`)
    return candidate.mode === 'stream' ? [...problems, ...(await stillBusy(server))] : problems
  })
}

async function left(candidate: Candidate, servers: Servers): Promise<Problems> {
  if (candidate.mode === 'generate') return []
  return served(servers, async (server) => {
    const model = servers.adapter(candidate, server)
    await tryRun({
      model,
      mode: 'stream',
      prompt: prompts.endless,
      onEvent: (_, index) => (index === 15 ? 'leave' : undefined),
    })
    return stillBusy(server)
  })
}

async function slowReader(candidate: Candidate, servers: Servers): Promise<Problems> {
  if (candidate.mode === 'generate') return []
  return served(servers, async (server) => {
    const onEvent = async (_: unknown, index: number): Promise<void> => void (index < 30 && (await sleep(15)))
    const model = servers.adapter(candidate, server)
    return answered(await tryRun({ model, mode: 'stream', prompt: prompts.essay, onEvent }), essay)
  })
}

async function cutCall(candidate: Candidate, servers: Servers): Promise<Problems> {
  return served(servers, async (server) => cutCalls(servers.adapter(candidate, server), candidate.mode))
}

/** A server goes on writing for a caller that is gone, unless its connection is closed. */
async function stillBusy(server: RunningServer): Promise<Problems> {
  for (let attempt = 0; attempt < 100; attempt++) {
    if (!(await server.isBusy())) return []
    await sleep(30)
  }
  return ['the server still writes 3 s later']
}
