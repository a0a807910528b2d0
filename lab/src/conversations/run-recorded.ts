import type { Capabilities } from '@steploop/core'
import { HarnessError, type Subject } from '@steploop/conformance'
import { holdsIn, readConversation } from '@steploop/conformance/cli'
import { opaqueOfResponse } from '../traffic/survival.ts'
import { openTraffic, readRecording } from '../traffic/traffic-files.ts'
import type { Allowance } from './allowances.ts'
import { compareRequests } from './compare-requests.ts'
import { driveChain } from './drive-chain.ts'
import type { Difference } from './finding.ts'
import { linkTurns, type Apart, type Chain, type LinkedRecording } from './link-turns.ts'
import {
  apartReasons,
  emptyFormatCounts,
  type FormatCounts,
  type RecordedFinding,
  type RecordedReport,
} from './recorded-report.ts'
import { requiredCases } from './required-recordings.ts'
import { shownScenarios } from './shown-scenarios.ts'

export interface RecordedOptions {
  /** Folder with recordings, as `steploop traffic` reads it. */
  readonly directory: string
  readonly subjects: readonly Subject[]
  /** Called before each file. */
  readonly onProgress?: ((number: number, total: number, file: string) => void) | undefined
}

/** A report under way. */
interface Tally {
  readonly formats: Record<string, FormatCounts>
  readonly apart: Partial<Record<Apart, string[]>>
  readonly besides: Partial<Record<Apart, string[]>>
  readonly allowed: Partial<Record<Allowance, string[]>>
  readonly scenarios: Record<string, Set<string>>
  readonly findings: RecordedFinding[]
  /** Files with a conversation. */
  readonly driven: Set<string>
}

/**
 * Drives the loop through recorded conversations: MSW serves the recorded responses, tools answer as they did, and every request of ours
 * is compared with the recorded one as a conversation.
 *
 * @throws HarnessError `unreadable-input` for a folder or file that cannot be read
 */
export async function runRecorded({ directory, subjects, onProgress }: RecordedOptions): Promise<RecordedReport> {
  const { files } = await openTraffic(directory)
  if (files.length === 0) {
    const fix = 'Give the folder that holds the recordings.'
    throw new HarnessError('unreadable-input', `${directory} has no recordings (*.json). ${fix}`, { file: directory })
  }
  const tally: Tally = {
    formats: {},
    apart: {},
    besides: {},
    allowed: {},
    scenarios: {},
    findings: [],
    driven: new Set(),
  }
  for (const [done, file] of files.entries()) {
    onProgress?.(done + 1, files.length, file)
    await addFile(tally, file, { directory, subjects })
  }
  if (tally.driven.size === 0 && tally.findings.length === 0) throw nothingToDrive(directory, tally)
  const { formats, apart, besides, allowed, findings, driven } = tally
  const scenarios = Object.entries(tally.scenarios).map(([id, wires]) => [id, [...wires].toSorted()] as const)
  const required = requiredCases(
    files,
    (file) => driven.has(file) && !findings.some((finding) => finding.file === file),
  )
  return { directory, formats, apart, besides, allowed, scenarios: Object.fromEntries(scenarios), required, findings }
}

function nothingToDrive(directory: string, { apart }: Tally): HarnessError {
  const reasons = Object.entries(apart).map(([reason, files]) => `${files.length} ${reason}`)
  const what = `${directory} holds no recorded conversation of a loop (${reasons.join(', ')}), so nothing would be compared`
  return new HarnessError('unreadable-input', `${what}. Give recordings in which a request continues another one.`, {
    file: directory,
  })
}

/** A file that cannot be read is named, and the others are driven all the same. */
async function addFile(tally: Tally, file: string, { directory, subjects }: RecordedOptions): Promise<void> {
  try {
    await addRecording(tally, file, linkTurns(await readRecording(directory, file), subjects))
  } catch (error) {
    if (!HarnessError.isInstance(error)) throw error
    tally.findings.push({ file, interaction: 0, message: error.message, isUnreadable: true })
  }
}

async function addRecording(tally: Tally, file: string, { chains, apart }: LinkedRecording): Promise<void> {
  const [first] = chains
  if (first === undefined) {
    const reasons = new Set(apart.values())
    const reason = (Object.keys(apartReasons) as Apart[]).find((name) => reasons.has(name)) ?? 'no-turn'
    ;(tally.apart[reason] ??= []).push(file)
    return
  }
  tally.driven.add(file)
  for (const [index, reason] of apart) (tally.besides[reason] ??= []).push(`${file} #${index}`)
  const wires = new Set(chains.map((chain) => chain[0]?.detected.wire ?? ''))
  for (const wire of wires) (tally.formats[wire] ??= emptyFormatCounts()).sessions++
  const counted = new Set<number>()
  for (const chain of chains) await addChain(tally, { file, chain, counted })
  if (branches(chains)) noteScenarios(tally, ['branch'], first)
}

/** Two conversations that share a turn with two others after it. */
function branches(chains: readonly Chain[]): boolean {
  const [first, ...others] = chains.map((chain) => chain[0])
  return first !== undefined && others.includes(first)
}

interface ChainOfFile {
  readonly file: string
  readonly chain: Chain
  /** Exchanges counted so far: branches share their beginning. */
  readonly counted: Set<number>
}

async function addChain(tally: Tally, { file, chain, counted }: ChainOfFile): Promise<void> {
  const wire = chain[0]?.detected.wire ?? ''
  const counts = (tally.formats[wire] ??= emptyFormatCounts())
  const { sent, claims, stopped, isRefused } = await driveChain(chain)
  const asked = chain[sent.length]
  if (isRefused && sent.length === 0) {
    ;(tally.apart.refused ??= []).push(file)
    return
  }
  if (isRefused && asked !== undefined) (tally.besides.refused ??= []).push(`${file} #${asked.interaction.index}`)
  counts.conversations++
  const before = tally.findings.length
  for (const [index, turn] of chain.entries()) {
    const body = sent[index]
    const { index: interaction } = turn.interaction
    if (body === undefined || counted.has(interaction)) continue
    counted.add(interaction)
    counts.turns++
    counts.requests++
    if (turn.added.some(({ type }) => type === 'result')) counts.followUps++
    countDifferences(tally, counts, { file, interaction, differences: differencesAt(chain, index, { body, claims }) })
  }
  const end = asked === undefined ? chain.at(-1) : undefined
  if (end?.isCut) (tally.besides.cut ??= []).push(`${file} #${end.interaction.index}`)
  else if (stopped !== undefined && !isRefused)
    tally.findings.push({ file, interaction: (asked ?? chain.at(-1))?.interaction.index ?? 0, message: stopped })
  if (tally.findings.length === before) noteScenarios(tally, shownScenarios(chain), chain)
}

interface Sent {
  readonly body: Readonly<Record<string, unknown>>
  readonly claims: Capabilities
}

function differencesAt(chain: Chain, index: number, { body, claims }: Sent): readonly Difference[] {
  const turn = chain[index]
  const first = chain[0]?.request
  const ours = turn && readConversation(turn.detected.wire, body)
  if (turn === undefined || first === undefined || ours === undefined) return []
  const earlier = chain.slice(0, index)
  const given = new Set(earlier.flatMap(({ interaction }) => opaqueOfResponse(interaction)))
  const evidence = {
    first,
    responses: earlier.map(({ response }) => response),
    given,
    choices: claims.toolChoice ?? [],
    showsImages: holdsIn(claims.toolResultImages, turn.detected.mode ?? 'generate'),
  }
  return compareRequests({ recorded: turn.request, ours }, evidence)
}

interface FoundDifferences {
  readonly file: string
  readonly interaction: number
  readonly differences: readonly Difference[]
}

function countDifferences(
  { allowed, findings }: Tally,
  counts: FormatCounts,
  { differences, ...location }: FoundDifferences,
): void {
  const reasons = new Set(differences.flatMap((one) => one.allowed))
  for (const reason of reasons) (allowed[reason] ??= []).push(`${location.file} #${location.interaction}`)
  const unexplained = differences.filter((one) => one.allowed.length === 0)
  findings.push(...unexplained.map((difference) => ({ ...location, difference })))
  if (differences.length === 0) counts.equal++
  else if (unexplained.length === 0) counts.allowed++
}

function noteScenarios({ scenarios }: Tally, ids: readonly string[], chain: Chain): void {
  for (const id of ids) (scenarios[id] ??= new Set()).add(chain[0]?.detected.wire ?? '')
}
