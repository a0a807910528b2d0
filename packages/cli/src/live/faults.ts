import { AdapterError, LoopError, type Adapter } from '@steploop/core'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  answerToCalls,
  baseURLAt,
  errorWords,
  essay,
  guestName,
  labModel,
  labTools,
  prompts,
  tryRun,
  type Guest,
  type Trial,
} from './lab.ts'
import { freePort, launch, startLlamaServer, type LlamaProgram, type RunningServer } from './llama-server.ts'

export interface FaultsOptions {
  readonly program: LlamaProgram
  readonly guests: readonly Guest[]
  /** How often a server is killed and revived, over all guests. */
  readonly crashes: number
  readonly signal: AbortSignal
  readonly onTrial: (fault: string, guest: string) => void
}

export interface FaultOutcome {
  readonly fault: string
  readonly tried: number
  readonly broken: readonly string[]
}

/** What is wrong with how a run took a fault; nothing when it took it well. */
type Fault = (guest: Guest, lab: Lab) => Promise<readonly string[]>

interface Lab {
  readonly start: (port?: number) => Promise<RunningServer>
  /** Does not wait until the server answers. */
  readonly launch: (port: number) => Promise<RunningServer>
  readonly adapter: (guest: Guest, server: Pick<RunningServer, 'url'>, apiKey?: string) => Adapter
  readonly program: LlamaProgram
  readonly weights: Uint8Array
}

/** Breaks a real server in every way that one machine allows, and says what runs made of it. */
export async function tryFaults(options: FaultsOptions): Promise<readonly FaultOutcome[]> {
  const { program, guests, crashes, signal, onTrial } = options
  const weights = labModel()
  const lab: Lab = {
    program,
    weights,
    start: (port) => startLlamaServer({ program, weights, port }),
    launch: (port) => launch({ program, weights, port }),
    adapter: ({ subject }, { url }, apiKey = 'none') => subject.adapter({ baseURL: baseURLAt(url, subject), apiKey }),
  }
  const outcomes: FaultOutcome[] = []
  for (const [fault, attempt] of Object.entries(faults)) {
    const times = fault.includes('revived') ? Math.ceil(crashes / guests.length / 2) : 1
    const broken: string[] = []
    let tried = 0
    for (const guest of guests) {
      for (let time = 0; time < times && !signal.aborted; time++) {
        onTrial(fault, guestName(guest))
        tried++
        const problems = await attempt(guest, lab).catch((error: unknown) => [`it cannot be tried: ${String(error)}`])
        broken.push(...problems.map((problem) => `${guestName(guest)}: ${problem}`))
      }
    }
    outcomes.push({ fault, tried, broken })
  }
  return outcomes
}

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
}

/** With a server that is gone afterwards, whatever happens. */
async function served(
  lab: Lab,
  work: (server: RunningServer) => Promise<readonly string[]>,
): Promise<readonly string[]> {
  const server = await lab.start()
  try {
    return await work(server)
  } finally {
    await server.kill()
  }
}

async function killed(guest: Guest, lab: Lab): Promise<readonly string[]> {
  return served(lab, async (server) => {
    const kill = (): void => void server.kill()
    const timer = guest.mode === 'generate' ? setTimeout(kill, 250) : undefined
    const model = lab.adapter(guest, server)
    const onEvent = (_: unknown, index: number): undefined => void (index === 15 && kill())
    const trial = await tryRun({ model, mode: guest.mode, prompt: prompts.endless, maxRetries: 0, onEvent })
    clearTimeout(timer)
    return [...failedWith(trial, ['connection', 'incomplete-stream']), ...oneTerminal(trial)]
  })
}

async function revived(guest: Guest, lab: Lab): Promise<readonly string[]> {
  let server = await lab.start()
  let again: Promise<void> | undefined
  const revive = (): void => {
    again ??= server.kill().then(async () => {
      server = await lab.launch(server.port)
    })
  }
  try {
    const timer = guest.mode === 'generate' ? setTimeout(revive, 20) : undefined
    const model = lab.adapter(guest, server)
    const onEvent = (_: unknown, index: number): undefined => void (index === 8 && revive())
    const trial = await tryRun({ model, mode: guest.mode, prompt: prompts.essay, maxRetries: 5, onEvent })
    clearTimeout(timer)
    return [...answered(trial, essay), ...oneTerminal(trial)]
  } finally {
    await again
    await server.kill()
  }
}

async function revivedInTool(guest: Guest, lab: Lab): Promise<readonly string[]> {
  let server = await lab.start()
  const { tools, ran } = labTools(async () => {
    await server.kill()
    server = await lab.launch(server.port)
  })
  try {
    const model = lab.adapter(guest, server)
    const trial = await tryRun({ model, mode: guest.mode, prompt: prompts.calls, tools, maxRetries: 5 })
    const twice = ran.length === 2 ? [] : [`${ran.length} calls ran, there were 2`]
    return [...answered(trial, answerToCalls), ...twice]
  } finally {
    await server.kill()
  }
}

async function notUpYet(guest: Guest, lab: Lab): Promise<readonly string[]> {
  const server = await lab.launch(await freePort())
  try {
    const model = lab.adapter(guest, server)
    const { tools } = labTools()
    return answered(
      await tryRun({ model, mode: guest.mode, prompt: prompts.calls, tools, maxRetries: 5 }),
      answerToCalls,
    )
  } finally {
    await server.kill()
  }
}

async function neverUp(guest: Guest, lab: Lab): Promise<readonly string[]> {
  const model = lab.adapter(guest, { url: `http://127.0.0.1:${await freePort()}` })
  return failedWith(await tryRun({ model, mode: guest.mode, prompt: prompts.essay, maxRetries: 1 }), ['connection'])
}

async function wrongKey(guest: Guest, lab: Lab): Promise<readonly string[]> {
  const server = await startLlamaServer({ ...lab, apiKey: 'the-right-key' })
  try {
    const model = lab.adapter(guest, server, 'the-wrong-key')
    const trial = await tryRun({ model, mode: guest.mode, prompt: prompts.essay, maxRetries: 3 })
    const retried = trial.took < 1500 ? [] : ['it was asked again']
    return [...failedWith(trial, ['authentication']), ...retried]
  } finally {
    await server.kill()
  }
}

async function tooSlow(guest: Guest, lab: Lab): Promise<readonly string[]> {
  return served(lab, async (server) => {
    const model = lab.adapter(guest, server)
    const { result, error, took } = await tryRun({ model, mode: guest.mode, prompt: prompts.endless, timeout: 400 })
    if (result?.stopReason !== 'timeout')
      return [`it ended by ${result?.stopReason ?? errorWords(error)}, not by its timeout`]
    return took < 5000 ? [] : [`it ended after ${Math.round(took)} ms, its timeout is 400`]
  })
}

async function aborted(guest: Guest, lab: Lab): Promise<readonly string[]> {
  return served(lab, async (server) => {
    const controller = new AbortController()
    let at = 0
    const abort = (): void => {
      at = performance.now()
      controller.abort(new Error('enough'))
    }
    const timer = guest.mode === 'generate' ? setTimeout(abort, 250) : undefined
    const model = lab.adapter(guest, server)
    const onEvent = (_: unknown, index: number): undefined => void (index === 15 && abort())
    const trial = await tryRun({
      model,
      mode: guest.mode,
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
    return guest.mode === 'stream' ? [...problems, ...(await stillBusy(server))] : problems
  })
}

async function left(guest: Guest, lab: Lab): Promise<readonly string[]> {
  if (guest.mode === 'generate') return []
  return served(lab, async (server) => {
    const model = lab.adapter(guest, server)
    await tryRun({
      model,
      mode: 'stream',
      prompt: prompts.endless,
      onEvent: (_, index) => (index === 15 ? 'leave' : undefined),
    })
    return stillBusy(server)
  })
}

async function slowReader(guest: Guest, lab: Lab): Promise<readonly string[]> {
  if (guest.mode === 'generate') return []
  return served(lab, async (server) => {
    const onEvent = async (_: unknown, index: number): Promise<void> => void (index < 30 && (await sleep(15)))
    const model = lab.adapter(guest, server)
    return answered(await tryRun({ model, mode: 'stream', prompt: prompts.essay, onEvent }), essay)
  })
}

/** A server goes on writing for a caller that is gone, unless its connection is closed. */
async function stillBusy({ url }: RunningServer): Promise<readonly string[]> {
  for (let attempt = 0; attempt < 100; attempt++) {
    const slots: unknown = await (await fetch(`${url}/slots`)).json()
    const busy =
      Array.isArray(slots) && slots.some((slot: unknown) => Reflect.get(Object(slot), 'is_processing') === true)
    if (!busy) return []
    await sleep(30)
  }
  return ['the server still writes 3 s later']
}

function answered({ result, error }: Trial, text: string): readonly string[] {
  if (result?.text === text) return []
  return [
    result === undefined
      ? `it failed: ${errorWords(error)}`
      : `it answered ${JSON.stringify(result.text.slice(0, 120))}`,
  ]
}

function failedWith({ error, result }: Trial, codes: readonly string[]): readonly string[] {
  if (!LoopError.isInstance(error))
    return [`it ended by ${result?.stopReason ?? String(error)}, and should have failed`]
  const { cause, transcript } = error
  const code = AdapterError.isInstance(cause) ? cause.code : 'no AdapterError'
  const problems = codes.includes(code)
    ? []
    : [`it failed with ${code}, expected was ${codes.join(' or ')}: ${error.message}`]
  return transcript === undefined ? [...problems, 'the error has no transcript'] : problems
}

function oneTerminal({ events }: Trial): readonly string[] {
  const count = events.filter(({ type }) => type === 'run-end' || type === 'run-error').length
  return events.length === 0 || count === 1 ? [] : [`${count} terminal events`]
}
