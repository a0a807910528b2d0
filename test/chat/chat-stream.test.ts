import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import { runConformance, type Subject } from '@steploop/conformance'
import { toUiMessages, toUiMessageStream } from '@steploop/chat'
import { StepLoop, type LoopEvent, type Message, type RunInput, type RunResult } from '@steploop/core'
import { DefaultChatTransport, readUIMessageStream, type UIMessage } from 'ai'
import { expect, test } from 'vitest'
import config from '../../steploop.config.ts'
import { conversationsOf, reloaded, seeded, shownParts, type Conversation, type ObservedRun } from './chat-reloads.ts'

interface Observed extends ObservedRun {
  readonly events: LoopEvent[]
  /** Which scenario it is of. */
  readonly address: string
}

/** The subject with a loop around which every streamed run is kept. */
function observing(subject: Subject, runs: Observed[], addressNow: () => string): Subject {
  return {
    ...subject,
    loop: (options) => {
      const loop = (subject.loop ?? ((given) => new StepLoop(given)))(options)
      return {
        generate: (input, run) => loop.generate(input, run),
        stream: (input, run) => {
          const stream = loop.stream(input, run)
          const observed: Observed = { input, events: [], address: addressNow() }
          runs.push(observed)
          return {
            get result() {
              return stream.result
            },
            async *[Symbol.asyncIterator]() {
              for await (const event of stream) {
                observed.events.push(event)
                yield event
              }
            },
          }
        },
      }
    },
  }
}

/** Reads server-sent events as pages do. */
class Transport extends DefaultChatTransport<UIMessage> {
  read = (body: ReadableStream<Uint8Array>) => this.processResponseStream(body)
}

async function* replay(events: readonly LoopEvent[]): AsyncGenerator<LoopEvent> {
  yield* events
}

/** The message as a page has it after the run, and what went wrong on the way. */
async function fold(events: readonly LoopEvent[], message: UIMessage | undefined) {
  const errors: string[] = []
  const options = { messageId: message?.id ?? 'answer', continues: message !== undefined }
  const stream = new Transport().read(toUiMessageStream(replay(events), options))
  const onError = (error: unknown): void => void errors.push(String(error))
  let last = message
  const begun = message && { message: structuredClone(message) }
  for await (const state of readUIMessageStream({ stream, ...begun, onError })) last = state
  return { parts: last?.parts, errors }
}

/** The assistant message that the page has already, where the run goes on with it: nobody says anything. */
function continued(input: RunInput): UIMessage | undefined {
  if (typeof input === 'string') return undefined
  const { transcript, messages = [], prompt = '' } = 'version' in input ? { transcript: input } : input
  if (prompt !== '' || (transcript !== undefined && messages.length > 0)) return undefined
  const given = messages.filter(
    (message): message is Message => typeof message.content !== 'string' || message.role !== 'assistant',
  )
  const known = toUiMessages(transcript ?? { version: 1, id: 'given', messages: given, pendingCalls: [] }).at(-1)
  return known?.role === 'assistant' ? (structuredClone(known) as UIMessage) : undefined
}

interface Verdict {
  readonly found: readonly string[]
  readonly isCompared: boolean
}

/** The scenario edited the conversation while it ran: there is another one in the end than a page has read. */
function isEdited({ messages, transcript }: RunResult): boolean {
  const from = transcript.messages.findIndex((message) => message === messages.find(({ role }) => role === 'assistant'))
  const later = from < 0 ? [] : transcript.messages.slice(from)
  const speaks = later.some((message) => message.role === 'user' && message.synthetic !== true)
  return speaks || messages.some((message) => !transcript.messages.includes(message))
}

async function judge({ input, events }: Observed): Promise<Verdict> {
  const page = await fold(events, continued(input))
  const end = events.at(-1)
  // An error of the run reaches the page as one; all others are breaks of the protocol.
  const errors = page.errors.filter(
    (text) => end?.type === 'run-end' || !text.startsWith('Error: Something went wrong.'),
  )
  if (end?.type !== 'run-end' || isEdited(end.result)) return { found: errors, isCompared: false }
  const stored = toUiMessages(end.result.transcript).at(-1)
  const [got, wanted] = [shownParts(page.parts), shownParts(stored?.role === 'assistant' ? stored.parts : [])]
  const difference = isDeepStrictEqual(got, wanted) ? [] : [`${JSON.stringify(got)} is not ${JSON.stringify(wanted)}`]
  return { found: [...errors, ...difference], isCompared: true }
}

/** The conversations of each scenario whose end a page can be held against. */
function comparable(runs: readonly Observed[], verdicts: readonly Verdict[]): ReadonlyMap<string, Conversation[]> {
  const compared = runs.filter((_run, index) => verdicts[index]?.isCompared === true)
  const found = new Map<string, Conversation[]>()
  for (const [address, some] of Map.groupBy(compared, (run) => run.address))
    found.set(address, [...conversationsOf(some)])
  return found
}

const everywhere = Number(process.env['STEPLOOP_RELOADS'] ?? 0)

/**
 * What differs after reloads: a few moments in some scenarios, or, with STEPLOOP_RELOADS=200, so many in each of them; moments are drawn anew
 * for each subject, and are the same in each run.
 */
async function allReloaded(
  { name }: Subject,
  conversations: ReadonlyMap<string, readonly Conversation[]>,
): Promise<readonly string[]> {
  const random = seeded(Number.parseInt(createHash('sha256').update(name).digest('hex').slice(0, 7), 16))
  const few = [...conversations.keys()].filter(() => random.next().value < 8 / conversations.size)
  const found: string[] = []
  let moments = 0
  for (const address of everywhere > 0 ? conversations.keys() : few) {
    const all = conversations.get(address) ?? []
    for (const conversation of all) {
      const outcome = await reloaded(conversation, Math.ceil((everywhere || 3) / all.length), random)
      moments += outcome.done
      found.push(...outcome.found.map((text) => `${address}: ${text}`))
    }
  }
  if (everywhere > 0) console.log(`${name}: ${moments} moments in ${conversations.size} scenarios`)
  return found
}

for (const subject of config.subjects.filter(({ cassettes }) => existsSync(cassettes))) {
  test(`every scenario behind ${subject.name} reaches a page, which has what is stored in the end`, async () => {
    const runs: Observed[] = []
    let address = ''
    await runConformance([observing(subject, runs, () => address)], {
      mode: 'stream',
      frontEnds: ['fetch'],
      stress: [],
      onProgress: (at) => (address = at.address),
    })
    const verdicts: Verdict[] = []
    for (const run of runs) verdicts.push(await judge(run))
    expect(verdicts.flatMap(({ found }) => found)).toEqual([])
    expect(verdicts.filter(({ isCompared }) => isCompared).length).toBeGreaterThan(runs.length / 2)
    expect(runs.length).toBeGreaterThanOrEqual(Math.min(4, subject.scenarios?.length ?? 4))
    const conversations = comparable(runs, verdicts)
    expect(await allReloaded(subject, conversations)).toEqual([])
  })
}
