import { isObject, textOf } from '@steploop/core/adapter'
import type { AdapterError } from '@steploop/core'
import type { Subject } from '@steploop/conformance'
import { detectExchange, type Detected, type Interaction, type Recording } from '@steploop/conformance/cli'
import type { AnswerKey, ExpectedTurn } from './answer-key.ts'
import { checkCuts, checkRechunked } from './check-stream.ts'
import { compareTurn, type FieldResult } from './compare.ts'
import type { Dispute } from './disputed.ts'
import { nextRequest } from './next-request.ts'
import { observe } from './observe.ts'
import { ownReading } from './own-reading.ts'
import { pickSubject } from './pick-subject.ts'
import { replayTurn, type RecordedAnswer, type DecodedAnswer } from './replay.ts'
import { emptyWireReport, type TrafficFinding, type WireReport } from './report.ts'
import { compareSurvival } from './survival.ts'

export interface CheckOptions {
  readonly subjects: readonly Subject[]
  /** `undefined`: nothing is compared. */
  readonly key: AnswerKey | undefined
  readonly disputes: readonly Dispute[]
}

/** What one file contributes to the report of its folder. */
export interface RecordingReport {
  readonly counts: WireReport
  readonly findings: readonly TrafficFinding[]
}

/** Decodes every response of a recording, compares it with the key, and replays its streams in other chunks and cut short. */
export async function checkRecording(recording: Recording, options: CheckOptions): Promise<RecordingReport> {
  const counts = emptyWireReport()
  counts.files = 1
  const findings: TrafficFinding[] = []
  for (const interaction of recording.interactions) {
    const note = (finding: Omit<TrafficFinding, 'wire' | 'file' | 'interaction'>): void => {
      findings.push({ ...finding, wire: recording.group, file: recording.file, interaction: interaction.index })
    }
    await checkInteraction({ recording, interaction, options, counts, note })
  }
  return { counts, findings }
}

interface Task {
  readonly recording: Recording
  readonly interaction: Interaction
  readonly options: CheckOptions
  readonly counts: WireReport
  readonly note: (finding: Omit<TrafficFinding, 'wire' | 'file' | 'interaction'>) => void
}

async function checkInteraction(task: Task): Promise<void> {
  const { interaction, options, counts, recording } = task
  const detected = detectExchange(interaction, options.subjects)
  if (!detected.isTurn) {
    counts.notTurns++
    return
  }
  const subject = pickSubject(options.subjects, detected)
  const { bytes, streamed } = interaction.response
  if (subject === undefined) {
    counts.noAdapter++
    return
  }
  if (bytes === undefined) {
    counts.notTurns++
    return
  }
  const expected = options.key?.[recording.file]?.[interaction.index]
  const kind = kindOf(task, expected)
  if (kind === 'hand-edited') counts.handEdited.turns++
  else counts[kind === 'unkeyed' ? 'unkeyed' : 'turns']++

  const exchange = exchangeOf(subject, interaction, detected)
  const whole = await replayTurn(exchange, [bytes])
  if (whole.error !== undefined && whole.crash === undefined) {
    counts.errors++
    checkError(task, whole.error)
  }
  const answerCrash = await checkAnswer({ ...task, exchange, whole, kind, expected })
  const streamCrash = streamed ? await checkStream({ ...task, exchange, whole, kind, bytes }) : undefined
  const crash = answerCrash ?? streamCrash
  if (crash === undefined) return
  if (kind === 'hand-edited') counts.handEdited.crashed++
  else counts.crashed++
  task.note({ type: 'crash', message: crash })
}

/** Without a key nobody says that an answer should have failed, and a 2xx says that it should not. */
function checkError({ interaction, recording, options, note }: Task, { code, message }: AdapterError): void {
  const { status } = interaction.response
  if (options.key !== undefined || recording.handEdited || status < 200 || status > 299) return
  if (recording.mayFail.includes(code)) return
  note({ type: 'error', message: `an answer with status ${status} fails as '${code}': ${message}` })
}

interface Answer extends Task {
  readonly exchange: RecordedAnswer
  readonly whole: DecodedAnswer
  readonly kind: Kind
  readonly expected: ExpectedTurn | null | undefined
}

/** Compares the decoded turn and the request that follows it. Gives the crash, if there was one. */
async function checkAnswer(answer: Answer): Promise<string | undefined> {
  const { exchange, whole, kind, expected } = answer
  const failed = whole.error !== undefined || whole.crash !== undefined
  const next = failed ? undefined : await nextRequest(exchange, whole.turn)
  if (kind === 'compared' && expected) compareWithKey(answer, expected, whole, next?.body)
  if (kind !== 'hand-edited' && !expected) compareWithReading(answer, whole)
  if (kind !== 'hand-edited') checkSurvival(answer, next?.body)
  return whole.crash ?? next?.crash
}

interface Streamed extends Omit<Answer, 'expected'> {
  readonly bytes: Uint8Array<ArrayBuffer>
}

/** Hand-made streams are cut nowhere: where they end is their author's business. */
async function checkStream({ exchange, whole, kind, bytes, counts, note }: Streamed): Promise<string | undefined> {
  const check = { exchange, whole, bytes, counts, note }
  const crash = await checkRechunked(check)
  const cutCrash = kind !== 'hand-edited' ? await checkCuts(check) : undefined
  return crash ?? cutCrash
}

/** Whatever the recorded client sent back of this response has to be in our next request too. */
function checkSurvival(
  { recording, interaction, options: { subjects }, counts, note }: Task,
  ours: string | undefined,
): void {
  const { wire } = detectExchange(interaction, subjects)
  const following = recording.interactions.slice(interaction.index + 1).find((candidate) => {
    const detected = detectExchange(candidate, subjects)
    return detected.isTurn && detected.wire === wire
  })
  if (following?.request === undefined) return
  const survival = compareSurvival(interaction, following.request.body, ours ?? '{}')
  if (survival === undefined) return
  if (survival.edited) {
    counts.survival.edited++
    return
  }
  counts.survival.sessions++
  counts.survival.strings += survival.sentBack.length
  counts.survival.lost += survival.lost.length
  if (survival.lost.length === 0) return
  const lost = survival.lost.map((text) => `${text.slice(0, 40)}...`).join(', ')
  note({
    type: 'survival',
    message: `${survival.lost.length} of ${survival.sentBack.length} are lost or moved: ${lost}`,
  })
}

type Kind = 'compared' | 'unkeyed' | 'hand-edited'

function kindOf({ recording, options }: Task, expected: ExpectedTurn | null | undefined): Kind {
  if (recording.handEdited || expected?.handEdited) return 'hand-edited'
  // Without a key every turn counts; with one, those that it leaves out stand apart.
  return options.key !== undefined && !expected ? 'unkeyed' : 'compared'
}

function exchangeOf(subject: Subject, interaction: Interaction, { mode }: Detected): RecordedAnswer {
  const body = interaction.request?.body
  return {
    subject,
    model: isObject(body) ? textOf(body['model']) : undefined,
    mode,
    turn: interaction.index,
    response: interaction.response,
  }
}

function compareWithKey(task: Task, expected: ExpectedTurn, replay: DecodedAnswer, body: string | undefined): void {
  const { recording, interaction, options, counts } = task
  const own = options.disputes.filter(
    (dispute) => dispute.file === recording.file && dispute.interaction === interaction.index,
  )
  const results = compareTurn(expected, observe(replay), body)
  for (const result of results) {
    const dispute = own.find((candidate) => candidate.field === result.field)
    if (dispute === undefined) countField(task, result)
    else if (result.agrees) staleDispute(task, dispute)
    else counts.disputed++
  }
  const fields = new Set(results.map((result) => result.field))
  for (const dispute of own) if (!fields.has(dispute.field)) staleDispute(task, dispute)
}

/** Without an entry in a key the suite's own reader has to agree. */
function compareWithReading({ interaction, exchange, counts, note }: Answer, replay: DecodedAnswer): void {
  const expected = ownReading(interaction, exchange.subject.wire)
  if (expected === undefined) return
  counts.read.turns++
  for (const { field, expected: read, observed, agrees } of compareTurn(expected, observe(replay), undefined)) {
    counts.read.fields++
    if (agrees) continue
    counts.read.disagreeing++
    note({
      type: 'disagreement',
      field,
      expected: read,
      observed,
      message: 'no key has it: expected is what the suite reads',
    })
  }
}

function countField({ counts, note }: Task, { field, expected, observed, agrees }: FieldResult): void {
  counts.fields++
  if (agrees) return
  counts.disagreeing++
  note({ type: 'disagreement', field, expected, observed })
}

function staleDispute({ note }: Task, { field, reason }: Dispute): void {
  note({ type: 'stale-dispute', field, message: `no longer disagrees; remove the dispute ("${reason}")` })
}
