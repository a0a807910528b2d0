import type { Message, Mode, ReasoningPart, Transcript, Warning } from '@steploop/core'
import type { Failure } from '../../check.ts'
import { described } from '../../described.ts'
import type { RunRecord } from '../../evidence.ts'
import type { Subject } from '../../subject.ts'
import { continueWith, handOverPrompt, type Continued, type ContinueOptions } from './continue-with.ts'
import { callerCalls, judgeHistory, type HistoryOptions } from './judge-history.ts'
import { isObject } from '@steploop/core/adapter'

export interface HandOverOptions {
  /** A finished run of `from`, as its loop returned it. */
  readonly transcript: Transcript
  readonly from: Subject
  /** Subjects that take over, each from the same transcript. */
  readonly others: readonly Subject[]
  readonly mode: Mode
  /** False where `from` got its signatures from a real provider. Default true. */
  readonly knowsSignatures?: boolean | undefined
  /** Nobody goes on after `others`: the transcript is of none that could. Default false. */
  readonly isOneWay?: boolean | undefined
  /** Milliseconds after which a run counts as one that never settles. Default 10,000. */
  readonly deadline?: number | undefined
}

export interface HandOverOutcome {
  readonly to: string
  readonly failures: readonly Failure[]
  /** Thoughts and opaque payloads that `from` sends back to itself, and that came back unchanged after `to` had its turn. */
  readonly survived: number
}

/**
 * Hands a finished run over to other providers, and back. The other provider, played by the simulator, has to accept the history: every
 * call and result once, ids that it takes, nothing opaque of a stranger, and a warning for what is left out. When the first one goes on
 * after that, it gets back all thoughts and opaque payloads that it would have got without the hand-over.
 *
 * @returns one outcome for each of `others`, in their order
 * @throws RangeError for a wire format that the simulator does not speak
 */
export async function handOver(options: HandOverOptions): Promise<readonly HandOverOutcome[]> {
  const isAsked = options.isOneWay !== true && ownTexts(options.transcript).size > 0
  const alone = isAsked ? await continueWith(homeLeg(options, options.transcript)) : undefined
  const wanted = sentBack(options.transcript, alone?.run)
  const outcomes: HandOverOutcome[] = []
  for (const to of options.others) outcomes.push(await thereAndBack(options, to, wanted))
  return outcomes
}

async function thereAndBack(
  options: HandOverOptions,
  to: Subject,
  wanted: readonly string[],
): Promise<HandOverOutcome> {
  const { transcript, from } = options
  const over = await continueWith({ ...homeLeg(options, transcript), subject: to, knowsSignatures: true })
  const there = [...judgeRun(over), ...judgeRequest(options, to, over.run)]
  if (over.run?.result === undefined || there.length > 0 || options.isOneWay === true) {
    return { to: to.name, failures: named(there, from, to), survived: 0 }
  }
  const grown = over.run.result.transcript
  const returned = await continueWith(homeLeg(options, grown))
  const own = callerCalls(transcript.messages).map(({ toolCallId }) => toolCallId)
  const back = [
    ...judgeRun(returned),
    ...judgeView(grown, returned.run, { to: from, own }),
    ...judgePayloads(wanted, sentBack(transcript, returned.run)),
  ]
  return { to: to.name, failures: named(back, from, to, from), survived: wanted.length }
}

function homeLeg(options: HandOverOptions, transcript: Transcript): ContinueOptions {
  const { from: subject, mode, deadline = 10_000, knowsSignatures } = options
  return { transcript, subject, mode, deadline, knowsSignatures, thinks: thoughtsOf(options.transcript).length > 0 }
}

function judgePayloads(wanted: readonly string[], got: readonly string[]): readonly Failure[] {
  if (wanted.join('\n') === got.join('\n')) return []
  const lost = wanted.filter((text) => !got.includes(text)).map((text) => `${text.slice(0, 40)}…`)
  return [
    { message: `of its own thoughts and payloads, ${lost.join(', ') || 'the order'} did not come back unchanged` },
  ]
}

function named(failures: readonly Failure[], ...way: readonly Subject[]): readonly Failure[] {
  const prefix = way.map(({ name }) => name).join(' -> ')
  return failures.map(({ message, where }) => ({ message: `${prefix}: ${message}`, where }))
}

/** The run was accepted, called its own tool, and ended with an answer. */
function judgeRun({ run, rejections }: Continued): readonly Failure[] {
  const refused = rejections.map(({ status, message }) => ({
    message: `the request is refused with ${status}: ${message}`,
  }))
  if (refused.length > 0) return refused
  if (run?.result === undefined) return [{ message: `the run failed: ${described(run?.error)}` }]
  if (run.result.status === 'completed' && run.executions.length === 1) return []
  return [
    { message: `the run ended as ${run.result.status} after ${run.executions.length} calls, not completed after one` },
  ]
}

function judgeRequest(
  { transcript, from }: HandOverOptions,
  to: Subject,
  run: RunRecord | undefined,
): readonly Failure[] {
  const sent = new Set(textsIn(run?.requests[0]?.body))
  const all = [...sent].join('\n')
  const isForeign = providerOf(transcript) !== run?.result?.steps[0]?.provider || from.wire !== to.wire
  const leaked = isForeign ? opaquePayloads(transcript).filter((text) => all.includes(text)) : []
  return [
    ...judgeView(transcript, run, { to, own: [] }),
    ...leaked.map((text) => ({ message: `a payload of ${from.name} is in the body: ${text.slice(0, 40)}…` })),
    ...judgeWarnings(transcript, all, run?.result?.warnings ?? []),
  ]
}

function providerOf({ messages }: Transcript): string | undefined {
  return messages.find((message) => message.role === 'assistant')?.provider
}

/** The first request holds the whole transcript and the new prompt. */
function judgeView({ messages }: Transcript, run: RunRecord | undefined, options: HistoryOptions): readonly Failure[] {
  const view = run?.requests[0]?.view
  if (view === undefined) return []
  const asked: Message = { role: 'user', content: handOverPrompt }
  return judgeHistory({ messages: [...messages, asked] }, view, options)
}

/** Thoughts that are neither in the body nor spoken of, by name or by their place, are lost in silence. */
function judgeWarnings(transcript: Transcript, sent: string, warnings: readonly Warning[]): readonly Failure[] {
  const places = transcript.messages.flatMap(({ role, content }, at) =>
    role === 'assistant'
      ? content.flatMap(({ type }, part) => (type === 'reasoning' ? [`messages[${at}].content[${part}]`] : []))
      : [],
  )
  const reported = warnings.some(
    ({ type, path, message }) =>
      type === 'dropped' && (/reasoning|thought|thinking/i.test(message) || places.includes(path)),
  )
  if (reported) return []
  const lost = thoughtsOf(transcript).filter(({ text, providerMetadata }) => {
    const sealed = textsIn(providerMetadata?.data).filter((one) => one.length >= shortest)
    return ![text, ...sealed].some((one) => one !== '' && sent.includes(one))
  })
  return lost.length === 0 ? [] : [{ message: `${lost.length} reasoning parts are left out without a warning` }]
}

/**
 * Opaque payloads and thoughts of the transcript in the first request, in its order, each once: another model of the same provider may have
 * signed with the same words.
 */
function sentBack(transcript: Transcript, run: RunRecord | undefined): readonly string[] {
  const own = ownTexts(transcript)
  return [...new Set(textsIn(run?.requests[0]?.body).filter((text) => own.has(text)))]
}

function ownTexts(transcript: Transcript): ReadonlySet<string> {
  const thoughts = thoughtsOf(transcript).map(({ text }) => text)
  return new Set([...opaquePayloads(transcript), ...thoughts].filter((text) => text !== ''))
}

function thoughtsOf({ messages }: Transcript): readonly ReasoningPart[] {
  const parts = messages.flatMap((message) => (message.role === 'assistant' ? message.content : []))
  return parts.filter((part) => part.type === 'reasoning')
}

/** Shorter texts are names and places, no payload that only its provider can read. */
const shortest = 24

/**
 * The texts in the `providerMetadata.data` of a transcript that only the provider understands (signatures, encrypted content, ids of items), in order.
 * What stands in the neutral parts too is no secret of the provider: texts, arguments, call ids.
 */
function opaquePayloads({ messages }: Pick<Transcript, 'messages'>): readonly string[] {
  const parts = messages.flatMap((message) =>
    typeof message.content === 'string' ? [message] : [message, ...message.content],
  )
  const data = parts.flatMap((part) => ('providerMetadata' in part ? textsIn(part.providerMetadata?.data) : []))
  const neutral = textsIn(withoutWire(messages))
  const opaque = data.filter((text) => text.length >= shortest && !neutral.some((known) => known.includes(text)))
  return [...new Set(opaque)]
}

/** Every text in JSON data, in document order. */
function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value]
  if (Array.isArray(value)) return value.flatMap(textsIn)
  return isObject(value) ? Object.values(value).flatMap(textsIn) : []
}

function withoutWire(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutWire)
  if (!isObject(value)) return value
  const members = Object.entries(value).filter(([name]) => name !== 'providerMetadata')
  return Object.fromEntries(members.map(([name, member]) => [name, withoutWire(member)]))
}
