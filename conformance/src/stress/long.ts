import { settleWithin } from '../deadline.ts'
import { described } from '../described.ts'
import { holdsIn } from '../judge/applicability.ts'
import { PlainResponse } from '../play/plain-classes.ts'
import { canary } from '../play/play-scenario.ts'
import { isSimulated } from '../play/own-format.ts'
import { simulatedFetch } from '../play/simulated-fetch.ts'
import type { ScriptedPart } from '../script.ts'
import { answer, call, say } from '../script-parts.ts'
import { ask, lookup } from './requests/request-form.ts'
import { eventsOf, streamOf } from './replay-turn.ts'
import type { Bytes } from './split-offsets.ts'
import type { StressCase, Stressor } from './stressor.ts'
import { openSearch } from './variant-search.ts'

/** Buffers of adapters end somewhere; texts, inputs of calls and events of a stream are longer than any that a scenario has. */
export const long: Stressor = {
  id: 'long',
  sentence: 'However long an answer is, and however large its events and chunks are, all of it is told.',
  async run(stressCase) {
    const search = openSearch(stressCase)
    const { subject, mode, sweep, only, cassette } = stressCase
    if (!isSimulated(subject)) return search.outcome(`the simulator does not speak '${subject.wire}'`)
    // A subject that needs more of a request than the other cases show is not asked.
    if (cassette.exchanges[0]?.response.status !== 200) return search.outcome('the first answer is an error')
    const key = `long ${mode}`
    if (only === undefined && (sweep.seen.has(key) || !sweep.isFirst)) return search.outcome()
    sweep.seen.add(key)
    for (const [id, parts] of Object.entries(formsFor(stressCase))) {
      const provided = provider(stressCase, parts)
      for (const [chunks, size] of Object.entries(id === 'calls' ? { whole } : { whole, ...chunkSizes })) {
        const variant = `${id}/${chunks}`
        if (!search.tries(variant)) continue
        const message = await settleWithin(
          stressCase.deadline,
          'the turn',
          faultOf(stressCase, parts, provided(size)),
        ).catch(described)
        if (message !== undefined) search.found(variant, [{ message: `\`${variant}\`: ${message}` }])
      }
    }
    return search.outcome()
  },
}

const whole = 2 ** 30
/** Bytes of a chunk: what is read from a socket at most, what a packet holds. */
const chunkSizes = { 'chunks-of-64-kB': 64 * 1024, 'chunks-of-1-kB': 1000 }

/** Blanks at both ends, ends of lines of every kind, a letter of two signs and one of two units, and all that a format may escape. */
function words(length: number): string {
  const sentence = `in Zu\u0308rich,\r\n\t東京 🌇.\r\u2028\u0001 {"a": 'b\\\\'} <i>&amp; 5 %20 : c=d\n\n[e]\\ `
  const sentences = Array.from({ length: length / sentence.length }, (_, index) => `${index} ${sentence}`)
  return ` ${sentences.join('').slice(0, length)} `
}

function formsFor({ subject, mode }: StressCase): Readonly<Record<string, readonly ScriptedPart[]>> {
  const text = [say(words(6_000))]
  if (!holdsIn(subject.adapter({ apiKey: canary }).capabilities.tools, mode)) return { text }
  return {
    text,
    // Limits are numbers such as 16 and 64 kB; a stream of that many pieces costs a second.
    input: [call('lookup', { sought: words(mode === 'generate' ? 70_000 : 17_000) })],
    // No format cuts the name of a tool into deltas.
    event: [call(`lookup_${'a1'.repeat(36_000)}`, { sought: 'ok' })],
    // Indexes of two digits, and of two groups.
    calls: [...callsFor('a', 12), say('ok'), ...callsFor('b', 2)],
  }
}

function callsFor(word: string, count: number): readonly ScriptedPart[] {
  return Array.from({ length: count }, (_, index) => call('lookup', { sought: `${word}${index}` }))
}

/** A response that is simulated once, and delivered as often as there are sizes. */
function provider({ subject }: StressCase, parts: readonly ScriptedPart[]): (size: number) => typeof fetch {
  const simulated = simulatedFetch({ subject, script: [answer(...parts)] })
  let answered: Promise<readonly [Response, Bytes]> | undefined
  return (size) => async (input, init) => {
    answered ??= simulated
      .fetch(input, init)
      .then(async (response) => [response, new Uint8Array(await response.arrayBuffer())])
    const [{ status, headers }, body] = await answered
    const chunks = Array.from({ length: Math.ceil(body.length / size) }, (_, at) =>
      body.slice(at * size, (at + 1) * size),
    )
    return new PlainResponse(streamOf({ chunks }), { status, headers })
  }
}

async function faultOf(
  { subject, mode }: StressCase,
  parts: readonly ScriptedPart[],
  fetch: typeof globalThis.fetch,
): Promise<string | undefined> {
  const calls = parts.flatMap((part) => (part.type === 'call' ? [JSON.stringify(part.input)] : []))
  const text = parts.map((part) => (part.type === 'text' ? part.text : '')).join('')
  const request = { messages: [ask], turn: 0, ...(calls.length > 0 && { tools: [lookup] }) }
  const events = await eventsOf(subject.adapter({ fetch, apiKey: canary }).turn(request, { mode }))
  const told = events.map((event) => (event.type === 'text-delta' ? event.text : '')).join('')
  if (told !== text) return `of a text of ${text.length} letters ${told.length} are told, or others`
  const inputs = events.flatMap((event) => (event.type === 'tool-call' ? [JSON.stringify(event.input)] : []))
  const [due, got] = [calls, inputs].map((all) => all.join(''))
  return got === due
    ? undefined
    : `of ${calls.length} inputs of ${due?.length} letters ${inputs.length} of ${got?.length} are told, or others`
}
