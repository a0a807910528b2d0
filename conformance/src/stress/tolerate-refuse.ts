import { collectTurn, type TurnEvent } from '@steploop/core/adapter'
import { described } from '../described.ts'
import { canonicalJson } from '../json.ts'
import { openSearch, type VariantSearch } from './variant-search.ts'
import {
  fingerprint,
  recordedTurns,
  turnLocation,
  turnReplayer,
  type Delivery,
  type RecordedTurn,
  type TurnOutcome,
} from './replay-turn.ts'
import { simulatedAnswers } from './simulated-answers.ts'
import { shrink } from './shrink.ts'
import { compareOutcomes } from './side-by-side.ts'
import { streamPayloads, type StreamPayloads } from './stream-payloads.ts'
import type { StressCase, StressOutcome, Stressor } from './stressor.ts'
import { wireKit } from '../wires/index.ts'
import type { WireMutation } from '../wires/variants/wire-mutation.ts'

/** Providers leave out, add and repeat what means nothing. */
export const tolerate: Stressor = {
  id: 'tolerate',
  sentence:
    'What servers of this wire format leave out, add or repeat without meaning changes nothing of the answer; whatever it ends with, its calls are run, and its parts, seals, id and usage are told as they came.',
  run: (stressCase) => mutate(stressCase, 'tolerate', tolerated),
}

/** Some servers keep the connection for a while: who waits for its end has the answer late, or never. Once for a subject. */
async function stayOpen(
  { subject, sweep, only, evidence, cassette }: StressCase,
  { number, body }: RecordedTurn,
  search: VariantSearch,
  replay: (delivery: Delivery) => Promise<TurnOutcome>,
): Promise<void> {
  const kit = wireKit(subject.wire)
  // An author's simulator names the frame that proves the end of its answers, so there is one.
  const hasLastWord =
    kit === undefined
      ? subject.simulate !== undefined && cassette.header.origin.kind === 'simulated'
      : kit.isTerminal !== undefined && !kit.moreMayFollow
  const isDueHere = sweep.isFirst && !sweep.seen.has('stays-open') && hasLastWord
  const variant = `${number}/stays-open`
  if ((only === undefined && !isDueHere) || !search.tries(variant)) return
  sweep.seen.add('stays-open')
  const whole = fingerprint(await replay({ chunks: [body] }))
  const open = await replay({ chunks: [body], ending: 'open' }).then(fingerprint, described)
  if (open === whole) return
  const message = `response ${number} gives other events when the connection stays open after its end; let \`progress\` of the decoder say when it is over: ${open.slice(0, 200)}`
  search.found(variant, [{ message, where: turnLocation(evidence, number) }])
}

/** What is no answer must not pass for one. */
export const refuse: Stressor = {
  id: 'refuse',
  sentence: 'An answer that is broken, or ends in an error, fails with a typed error wherever that happens.',
  run: (stressCase) => mutate(stressCase, 'refuse', refused),
}

interface Trial {
  readonly stressCase: StressCase
  readonly recorded: RecordedTurn
  readonly stream: StreamPayloads
  readonly mutation: WireMutation
  readonly variant: string
  readonly whole: TurnOutcome
  /** The turn with the mutation at these payloads. */
  readonly mutated: (at: readonly number[]) => Promise<TurnOutcome>
}

async function mutate(
  stressCase: StressCase,
  verdict: WireMutation['verdict'],
  judge: (trial: Trial, search: VariantSearch) => Promise<void>,
): Promise<StressOutcome> {
  const search = openSearch(stressCase)
  if (verdict === 'tolerate') await simulatedAnswers(stressCase, search)
  const mutations = (wireKit(stressCase.subject.wire)?.mutations ?? []).filter(
    (mutation) => mutation.verdict === verdict,
  )
  if (verdict === 'refuse' && stressCase.mode === 'generate') return refuseNonsense(stressCase, search)
  const vary = `nobody knows what servers of '${stressCase.subject.wire}' vary`
  if (mutations.length === 0 && verdict === 'refuse') return search.outcome(vary)
  if (stressCase.mode !== 'stream') return search.outcome('no response is a stream')
  for (const recorded of recordedTurns(stressCase)) {
    const { response } = recorded.exchange
    // What failed when it was whole proves nothing when it is changed.
    if (recorded.turn.error !== undefined || response.status !== 200) continue
    const replay = turnReplayer(stressCase, recorded)
    if (verdict === 'tolerate') await stayOpen(stressCase, recorded, search, replay)
    const due = mutations.filter((mutation) => isDue(stressCase, mutation, recorded))
    if (due.length === 0) continue
    const stream = streamPayloads(recorded.body, response.headers['content-type'] ?? '')
    const whole = await replay({ chunks: [recorded.body] })
    for (const mutation of due) {
      const variant = `${recorded.number}/${mutation.id}`
      const applies = stream.payloads.some((payload) => mutation.change(payload) !== undefined)
      if (!applies || !search.tries(variant)) continue
      stressCase.sweep.seen.add(kindOf(mutation, recorded))
      const mutated = (at: readonly number[]) => replay({ chunks: [stream.with(changes(stream, mutation, at))] })
      await judge({ stressCase, recorded, stream, mutation, variant, whole, mutated }, search)
    }
  }
  return search.outcome(mutations.length === 0 ? vary : 'no stream that ended a turn well has a place for it')
}

/** In an ordinary run each is tried once on every kind of answer. */
function isDue({ sweep, only }: StressCase, mutation: WireMutation, recorded: RecordedTurn): boolean {
  return sweep.full || only !== undefined || !sweep.seen.has(kindOf(mutation, recorded))
}

/** A mutation, and of what it is one: of a call, a thought, or text alone. */
function kindOf({ verdict, id }: WireMutation, { turn }: RecordedTurn): string {
  const kind = ['tool-call', 'reasoning-start', 'text-start'].find((type) =>
    turn.events.some((event) => event.type === type),
  )
  return `${verdict} ${id} ${kind}`
}

function changes(
  { payloads }: StreamPayloads,
  mutation: WireMutation,
  at: readonly number[],
): ReadonlyMap<number, readonly string[]> {
  const changed = new Map<number, readonly string[]>()
  for (const index of at) {
    const texts = mutation.change(payloads[index] ?? {})
    if (texts !== undefined) changed.set(index, texts)
  }
  return changed
}

/** At all payloads at once; a failure is shrunk to the payloads that it needs. */
async function tolerated(trial: Trial, search: VariantSearch): Promise<void> {
  const { stream, mutation, whole, mutated } = trial
  const at = stream.payloads.flatMap((payload, index) => (mutation.change(payload) === undefined ? [] : [index]))
  const expected = await meaningOf(whole)
  const fails = async (some: readonly number[]): Promise<boolean> => (await meaningOf(await mutated(some))) !== expected
  if (!(await fails(at))) return
  const least = await shrink(at, fails)
  await report(trial, search, { at: least, what: 'the answer is another one' })
}

/** At one payload after the other, as the first failure ends a stream. */
async function refused(trial: Trial, search: VariantSearch): Promise<void> {
  const { stream, mutated } = trial
  const before = stream.payloads.length - 1
  // In front, in the middle, and right before the end is announced.
  for (const index of new Set([0, before >> 1, Math.max(0, before - 1)])) {
    const outcome = await mutated([index])
    const isTyped = outcome.error !== undefined && outcome.isTyped
    if (isTyped) continue
    const what = outcome.error === undefined ? 'the turn counts as a finished one' : 'it fails without a typed error'
    await report(trial, search, { at: [index], what })
    return
  }
}

/** JSON that is the answer of no provider. */
const nonsense = ['null', 'true', '0', '"ok"', '[]', '[[]]', '{}', '{"ok":true}']

/** In place of an answer that came in one piece. */
async function refuseNonsense(stressCase: StressCase, search: VariantSearch): Promise<StressOutcome> {
  const { sweep, only, evidence } = stressCase
  const recorded = recordedTurns(stressCase).find(
    ({ turn, exchange }) => !turn.error && exchange.response.status === 200,
  )
  if (recorded === undefined) return search.outcome('no answer in whose place something else could stand')
  if (only === undefined && sweep.seen.has('refuse nonsense')) return search.outcome()
  sweep.seen.add('refuse nonsense')
  const replay = turnReplayer(stressCase, recorded)
  for (const [index, text] of nonsense.entries()) {
    const variant = `nonsense-${index + 1}`
    if (!search.tries(variant)) continue
    const { error, isTyped } = await replay({ chunks: [new TextEncoder().encode(text)] })
    if (error !== undefined && isTyped) continue
    const what =
      error === undefined ? 'the turn counts as a finished one' : `it fails as \`${error}\`, which is not typed`
    const message = `with \`${text}\` in place of the answer ${what}`
    search.found(variant, [{ message, where: turnLocation(evidence, recorded.number) }])
  }
  return search.outcome()
}

async function report(
  { stressCase, recorded, stream, mutation, variant, whole, mutated }: Trial,
  search: VariantSearch,
  { at, what }: { readonly at: readonly number[]; readonly what: string },
): Promise<void> {
  const [first = 0] = at
  const texts = changes(stream, mutation, [first]).get(first) ?? []
  const sent = texts.map((text) => `  ${text.slice(0, 200)}`).join('\n')
  const indexes = at.map((index) => index + 1).join(', ')
  const diff = compareOutcomes({ title: 'as recorded', ...whole }, { title: mutation.id, ...(await mutated(at)) })
  const message = `with \`${mutation.id}\` (${mutation.why}) at payload ${indexes} of ${stream.payloads.length}, ${what}; in its place stands\n${sent}\n${diff}`
  search.found(variant, [{ message, where: turnLocation(stressCase.evidence, recorded.number) }])
}

/** Texts, thoughts, calls and why it ended: what a mutation must not change. */
async function meaningOf({ events, error }: TurnOutcome): Promise<string> {
  if (error !== undefined) return error
  const { message, finishReason } = await collectTurn(batchOf(events))
  const parts = message.content.map((part) => {
    if (part.type === 'text' || part.type === 'reasoning' || part.type === 'refusal') return [part.type, part.text]
    return part.type === 'tool-call' ? [part.toolName, part.input, part.invalid] : [part.type]
  })
  return canonicalJson([parts, finishReason])
}

async function* batchOf(events: readonly TurnEvent[]): AsyncGenerator<readonly TurnEvent[]> {
  yield events
}
