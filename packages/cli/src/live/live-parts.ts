import { copyFileSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Scenario, Subject } from '@steploop/conformance'
import type { Mode } from '@steploop/core'
import type { Progress } from '../progress.ts'
import { runAtOnce } from './at-once.ts'
import { tryFaults } from './faults.ts'
import { probe, tryCallerFaults, type ForeignServer } from './foreign-server.ts'
import { fuzz, type FuzzOptions } from './fuzz.ts'
import { guestsOf, type Guest } from './lab.ts'
import { lemonadeKind } from './lemonade.ts'
import { liveError, NoServer } from './live-error.ts'
import { printCase, type LiveReport } from './live-report.ts'
import { llamaKind } from './llama-kind.ts'
import { findLlamaServer, startLlamaServer, type LlamaProgram } from './llama-server.ts'
import { randomModel } from './random-weights.ts'
import { recordLocal, type RecordedCase, type ServerKind } from './record-local.ts'

export const parts = ['record', 'faults', 'at-once', 'fuzz'] as const
export type Part = (typeof parts)[number]

export function isPart(name: string): name is Part {
  return (parts as readonly string[]).includes(name)
}

export interface LiveOrder {
  readonly parts: readonly Part[]
  readonly subjects: readonly Subject[]
  readonly scenarios: readonly Scenario[]
  readonly modes: readonly Mode[]
  /** A server that is up already. */
  readonly foreign: { readonly url: string; readonly model: string | undefined } | undefined
  /** Where recordings are kept. Default: nowhere. */
  readonly target: ((subject: Subject) => string | URL) | undefined
  readonly runs: number
  readonly crashes: number
  readonly seed: number
  readonly cache: string
  readonly report: LiveReport
  readonly signal: AbortSignal
  readonly say: (line: string) => void
  readonly progress: Progress
}

/** All parts on servers of our own. Where none can be had the report says so. */
export async function checkOwn(order: LiveOrder): Promise<void> {
  const { report, cache, say } = order
  try {
    const program = await findLlamaServer(cache, say)
    report.servers.push(program.version)
    if (order.parts.includes('record')) await recordAll(order, program)
    await breakAndFuzz(order, program)
  } catch (error) {
    if (!(error instanceof NoServer)) throw error
    report.skipped.push(error.message)
  }
}

async function recordAll(order: LiveOrder, program: LlamaProgram): Promise<void> {
  const { subjects, report, cache, say } = order
  const llama = llamaKind(program)
  await record(order, llama)
  if (!subjects.some(({ wire }) => wire === 'ollama-chat')) return
  try {
    const lemonade = await lemonadeKind(program, cache, say)
    report.servers.push(lemonade.version)
    await record(order, lemonade)
  } catch (error) {
    if (!(error instanceof NoServer)) throw error
    report.skipped.push(error.message)
  }
}

async function record(order: LiveOrder, kind: ServerKind): Promise<void> {
  const { subjects, scenarios, modes, signal, report, progress } = order
  const scratch = mkdtempSync(join(tmpdir(), 'steploop-live-'))
  const homes = new Map(subjects.map((subject) => [subject.name, subject]))
  const onCase = (one: RecordedCase): void => {
    report.recorded.push(one)
    const said = printCase(one)
    if (said === undefined) return
    progress.end()
    console.log(said)
    const home = homes.get(one.name.split('/')[0] ?? '')
    if (one.status === 'written' && home !== undefined) keep(one.name, scratch, order.target?.(home))
  }
  try {
    await recordLocal({
      kind,
      scenarios,
      modes,
      signal,
      onCase,
      subjects: subjects
        .filter(({ wire }) => kind.wires.includes(wire))
        .map((subject) => ({ ...subject, cassettes: join(scratch, subject.name) })),
      onScenario: (number, total, id) => progress.begin(number, total, id),
    })
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}

/** Nothing half-written gets a cassette's name. */
function keep(name: string, scratch: string, target: string | URL | undefined): void {
  if (target === undefined) return
  const [subject = '', scenario, mode] = name.split('/')
  const folder = target instanceof URL ? fileURLToPath(target) : target
  const file = join(scratch, subject, `${scenario}.${mode}.yaml`)
  const partial = join(folder, `.${basename(file)}.partial`)
  try {
    mkdirSync(folder, { recursive: true })
    copyFileSync(file, partial)
    renameSync(partial, join(folder, basename(file)))
  } catch (cause) {
    rmSync(partial, { force: true })
    throw liveError(
      `${join(folder, basename(file))} cannot be written: ${String(cause)}.`,
      'Make room there, or give another --out.',
    )
  }
}

async function breakAndFuzz(order: LiveOrder, program: LlamaProgram): Promise<void> {
  const { parts: chosen, signal, report, progress, crashes, seed } = order
  const guests = guestsOf(
    order.subjects.filter(({ wire }) => llamaKind(program).wires.includes(wire)),
    order.modes,
  )
  if (guests.length === 0 || signal.aborted) return
  let trials = 0
  const onTrial = (fault: string, guest: string): void => progress.begin(++trials, trials, `${fault} ${guest}`)
  if (chosen.includes('faults')) report.faults = await tryFaults({ program, guests, crashes, signal, onTrial })
  if (chosen.includes('at-once') && !signal.aborted) report.atOnce = await runAtOnce(program, guests, 12)
  if (!chosen.includes('fuzz') || signal.aborted) return
  const kind = seed % 2 === 0 ? 'bytes' : 'text'
  const server = await startLlamaServer({ program, weights: randomModel(seed, kind) })
  try {
    report.fuzz = await fuzz({
      ...fuzzOptions(order, guests),
      url: server.url,
      model: undefined,
      apiKeyOf: () => undefined,
    })
  } finally {
    await server.kill()
  }
}

type Drawn = Omit<FuzzOptions, 'url' | 'model' | 'apiKeyOf'>

function fuzzOptions({ runs, seed, signal, progress }: LiveOrder, guests: readonly Guest[]): Drawn {
  return { guests, runs, seed, signal, onRun: (number) => progress.begin(number, runs, 'fuzz') }
}

/** Fuzz and faults on a server that somebody else started. */
export async function checkForeign(order: LiveOrder, foreign: NonNullable<LiveOrder['foreign']>): Promise<void> {
  const { parts: chosen, report, progress, signal, subjects } = order
  const guests = guestsOf(subjects, order.modes)
  // The path of a base URL is the subject's, so that one address serves all.
  const { origin } = new URL(foreign.url)
  const apiKeyOf = ({ subject }: Guest): string | undefined =>
    subject.apiKeyVariable === undefined ? undefined : process.env[subject.apiKeyVariable]
  const server: ForeignServer = { ...foreign, url: origin, apiKeyOf }
  for (const guest of guests) {
    progress.begin(1, guests.length, `probe ${guest.subject.name}`)
    await probe(guest, server)
  }
  report.servers.push(foreign.url)
  let trials = 0
  const onTrial = (fault: string, guest: string): void => progress.begin(++trials, trials, `${fault} ${guest}`)
  if (chosen.includes('faults')) report.faults = await tryCallerFaults(guests, server, onTrial)
  if (chosen.includes('fuzz') && !signal.aborted) report.fuzz = await fuzz({ ...fuzzOptions(order, guests), ...server })
}
