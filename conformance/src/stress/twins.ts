import {
  createTurnCollector,
  type AssistantMessage,
  type Message,
  type TurnEvent,
  type TurnRequest,
} from '@steploop/core/adapter'
import { NotSettled, settleWithin } from '../deadline.ts'
import { canonicalJson, parsed } from '../json.ts'
import { factsOf } from '../play/observe-fetch.ts'
import { PlainResponse } from '../play/plain-classes.ts'
import { canary } from '../play/play-scenario.ts'
import { leavesOf, ownerOf } from './owner-of.ts'
import { openSearch } from './variant-search.ts'
import { eventsOf, locate, recordedTurns, streamOf, turnLocation, type RecordedTurn } from './replay-turn.ts'
import type { StressCase, Stressor } from './stressor.ts'

/** Two conversations may differ in one value, and be anywhere: the messages alone carry from a turn to the next what has to go back. */
export const twins: Stressor = {
  id: 'twins',
  sentence:
    'Of two turns that differ in one value of their responses each gets its own back, by its messages alone, and a call keeps what is its own.',
  async run(stressCase) {
    const search = openSearch(stressCase)
    for (const pair of pairsOf(stressCase)) {
      const { number } = pair.first
      const forgotten = forgottenIn(pair)
      if (forgotten !== undefined && search.tries(`${number}/kept`))
        search.found(`${number}/kept`, [{ message: forgotten, where: turnLocation(stressCase.evidence, number + 1) }])
      const lasting: Value[] = []
      for (const value of valuesOf(pair)) {
        const key = `twins ${stressCase.mode} ${value.path} ${callsOf(pair.first.turn.events).length > 1}`
        if (stressCase.only === undefined && stressCase.sweep.seen.has(key)) continue
        stressCase.sweep.seen.add(key)
        const variant = `${number}/${value.path}`
        if (!search.tries(variant)) continue
        const twin = await twinOf(stressCase, pair, [value])
        if (twin === undefined) continue
        lasting.push(value)
        const message = faultOf(pair, twin, value)
        if (message !== undefined)
          search.found(variant, [{ message, where: turnLocation(stressCase.evidence, number + 1) }])
      }
      const variant = `${number}/all`
      if (lasting.length === 0 || !search.tries(variant)) continue
      const all = [...lasting, ...wordsOf(pair)]
      const twin = await twinOf(stressCase, pair, all)
      const message = twin && all.map((value) => smuggled(twin, value)).find((fault) => fault !== undefined)
      if (message !== undefined)
        search.found(variant, [{ message, where: turnLocation(stressCase.evidence, number + 1) }])
    }
    return search.outcome('no value of a response goes back in a later request')
  },
}

/** A turn, and the one that goes on from it. */
interface Pair {
  readonly first: RecordedTurn
  /** Text of its response, a byte a letter. */
  readonly response: string
  /** Body that was sent for it. */
  readonly before: string
  readonly next: TurnRequest
  /** Body that was sent for the next. */
  readonly sent: string
  /** What the first turn said, as it stands in the next request. */
  readonly message: AssistantMessage
}

function pairsOf(stressCase: StressCase): readonly Pair[] {
  const { evidence } = stressCase
  const bodies = evidence.runs.flatMap(({ requests }) => requests.map(({ text }) => text))
  const turns = recordedTurns(stressCase)
  return turns.flatMap((first, index) => {
    const second = turns[index + 1]
    const [before, sent] = [bodies[index], bodies[index + 1]]
    if (second === undefined || before === undefined || sent === undefined) return []
    if (locate(evidence, first.number).run !== locate(evidence, second.number).run) return []
    const next = second.turn.request
    const message = next.messages[first.turn.request.messages.length]
    if (message?.role !== 'assistant' || first.exchange.response.status !== 200) return []
    // The loop may have changed what was said.
    const isAsTold = canonicalJson(retold(message, first.turn.events)) === canonicalJson(message)
    const response = Buffer.from(first.body).toString('latin1')
    return isAsTold ? [{ first, response, before, next, sent, message }] : []
  })
}

/** The message with the parts that these events make. */
function retold(message: AssistantMessage, events: readonly TurnEvent[]): AssistantMessage | undefined {
  const { provider, model } = message
  const collector = createTurnCollector(provider === undefined || model === undefined ? undefined : { provider, model })
  collector.push(events)
  const { content, ...more } = collector.turn().message
  if (content.length !== message.content.length) return undefined
  const owned = content.map((part, at) => {
    const known = message.content[at]
    return part.type === 'tool-call' && known?.type === 'tool-call' ? { ...part, owner: known.owner } : part
  })
  return { ...more, content: owned }
}

/** A text of a response that stands in the next request, and another one in its place. */
interface Value {
  readonly text: string
  readonly other: string
  /** Where in the request, without indexes. */
  readonly path: string
}

/** What is like an id, a signature or a token, and came with the response. */
function valuesOf(pair: Pair): readonly Value[] {
  return leavesOf(parsed(pair.sent)).flatMap(([path, text]) =>
    isToken(text) && isNew(pair, text) ? [{ text, other: another(text), path }] : [],
  )
}

function isToken(text: string): boolean {
  return /^[\w+/=.:-]+$/.test(text) && text.length >= (/\d/.test(text) ? 4 : 6)
}

/** A word of each text. */
function wordsOf(pair: Pair): readonly Value[] {
  return leavesOf(parsed(pair.sent)).flatMap(([path, text]) => {
    const word = text.includes(' ') ? text.split(/[^A-Za-z]+/).find((one) => one.length > 3) : undefined
    return word !== undefined && isNew(pair, word) ? [{ text: word, other: another(word), path }] : []
  })
}

function isNew({ response, before }: Pair, text: string): boolean {
  return response.includes(text) && !before.includes(text)
}

/** Another text of the same length and the same kind of letters. */
function another(text: string): string {
  const at = Math.floor(text.length / 2)
  return text.slice(0, at) + text.slice(at).replace(/[A-Za-z0-9]/, (letter) => turned[letter] ?? '')
}

const letters = ['abcdefghijklmnopqrstuvwxyz', 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', '0123456789']
const turned: Readonly<Record<string, string | undefined>> = Object.fromEntries(
  letters.flatMap((all) => all.split('').map((letter, at) => [letter, all[(at + 1) % all.length]])),
)

interface Twin {
  readonly events: readonly TurnEvent[]
  /** The next request of the twin's conversation, as JSON, and what is sent for it. */
  readonly messages: string
  readonly sent: string
  /** What is sent for the next request of the first conversation, after the twin has answered. */
  readonly sentForFirst: string
}

/** Asks again, is answered with other values, and goes on from there; nothing where the answer is another one in kind. */
async function twinOf(stressCase: StressCase, pair: Pair, values: readonly Value[]): Promise<Twin | undefined> {
  const { first, next, message } = pair
  const change = (text: string): string =>
    values.reduce((all, { text: one, other }) => all.replaceAll(one, other), text)
  const turns = openTurns(stressCase)
  const events = await turns.events(first, Buffer.from(change(pair.response), 'latin1'))
  const said = events && isLike(events, first.turn.events) ? retold(message, events) : undefined
  if (events === undefined || said === undefined) return undefined
  const at = first.turn.request.messages.length
  // Results name their call.
  const results = JSON.parse(change(JSON.stringify(next.messages.slice(at + 1)))) as readonly Message[]
  const messages = [...next.messages.slice(0, at), said, ...results]
  const sentForFirst = await turns.body(next)
  return { events, messages: JSON.stringify(messages), sent: await turns.body({ ...next, messages }), sentForFirst }
}

function isLike(events: readonly TurnEvent[], others: readonly TurnEvent[]): boolean {
  return events.length === others.length && events.every(({ type }, at) => type === others[at]?.type)
}

interface Turns {
  /** What is told of the turn with this body; nothing where it fails. */
  readonly events: (recorded: RecordedTurn, body: Uint8Array) => Promise<readonly TurnEvent[] | undefined>
  /** What is sent for a request. */
  readonly body: (request: TurnRequest) => Promise<string>
}

/** Turns of one instance. */
function openTurns({ subject, mode, deadline }: StressCase): Turns {
  let sent = ''
  let answer = new PlainResponse('{}', { status: 400 })
  const fetch: typeof globalThis.fetch = async (input, init) => {
    sent = (await factsOf(input, init)).text
    return answer
  }
  const adapter = subject.adapter({ fetch, apiKey: canary })
  const play = async (request: TurnRequest): Promise<readonly TurnEvent[] | undefined> => {
    try {
      return await settleWithin(deadline, 'the turn', eventsOf(adapter.turn(request, { mode })))
    } catch (error) {
      if (error instanceof NotSettled) throw error
      return undefined
    }
  }
  return {
    events({ turn, exchange: { response } }, body) {
      const { status, headers } = response
      answer = new PlainResponse(streamOf({ chunks: [new Uint8Array(body)] }), { status, headers: { ...headers } })
      return play(turn.request)
    },
    async body(request) {
      answer = new PlainResponse('{}', { status: 400 })
      await play(request)
      return sent
    },
  }
}

function faultOf(pair: Pair, twin: Twin, value: Value): string | undefined {
  const { text, other, path } = value
  if (twin.sentForFirst !== pair.sent)
    return `after a like turn with '${other}' in place of '${text}' another request is sent (\`${path}\`): what an adapter keeps is seen by all conversations; put it into \`providerMetadata\``
  const shared = sharedBy(pair, twin, value)
  if (shared !== undefined) return shared
  const fault = smuggled(twin, value)
  if (fault !== undefined) return fault
  const messages = JSON.stringify(pair.next.messages)
  const isPlain = messages.includes(text) && messages.replaceAll(text, other) === twin.messages
  return isPlain && pair.sent.replaceAll(text, other) !== twin.sent
    ? `with '${other}' in place of '${text}' in the response the request still says '${text}', or more changes in it (\`${path}\`)`
    : undefined
}

/** What came with the response and goes back without standing in a message: another process does not have it. */
function smuggled({ sent, messages }: Twin, { other, path }: Value): string | undefined {
  return sent.includes(other) && !messages.includes(other)
    ? `'${other}' of the response is sent in \`${path}\` and stands in no message: another process does not have it; put it into \`providerMetadata\``
    : undefined
}

/** What an adapter has put into a message of the turn before, as it did earlier, is not sent; what it did earlier is. */
function forgottenIn({ next, message, sent }: Pair): string | undefined {
  const sentBefore = new Map<string, string>()
  for (const { said, place, text } of next.messages.flatMap((one) => metadataOf(one))) {
    const before = sentBefore.get(place)
    if (sent.includes(text)) sentBefore.set(place, text)
    else if (said === message && before !== undefined)
      return `'${text}' of the last turn is not sent, and '${before}' of a part before it is (${place})`
  }
  return undefined
}

/** Tokens that an adapter has put into parts of a message, and into which member. */
function metadataOf(
  said: Message,
): readonly { readonly said: Message; readonly place: string; readonly text: string }[] {
  const parts = said.role === 'assistant' ? said.content : []
  return parts.flatMap(({ type, providerMetadata }) =>
    leavesOf(providerMetadata?.data).flatMap(([path, text]) =>
      isToken(text) ? [{ said, place: `${type}${path}`, text }] : [],
    ),
  )
}

type CallEvent = Extract<TurnEvent, { type: 'tool-call' }>

function callsOf(events: readonly TurnEvent[]): readonly CallEvent[] {
  return events.flatMap((event) => (event.type === 'tool-call' ? [event] : []))
}

/** A value of one call, in a response of one piece, that goes with another. */
function sharedBy({ first, response }: Pair, { events }: Twin, { text }: Value): string | undefined {
  const before = callsOf(first.turn.events)
  const changed = callsOf(events).filter(
    ({ providerMetadata }, at) => JSON.stringify(providerMetadata) !== JSON.stringify(before[at]?.providerMetadata),
  )
  const owner = changed.length > 1 ? ownerOf(text, parsed(response)) : undefined
  if (owner === undefined) return undefined
  const names = changed.map(({ toolName }) => toolName)
  const other = names.find((name) => !owner.includes(JSON.stringify(name)))
  return other !== undefined && names.some((name) => owner.includes(JSON.stringify(name)))
    ? `'${text}' stands beside another call in the response, and is \`providerMetadata\` of the call of ${other}`
    : undefined
}
