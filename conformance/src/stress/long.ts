import type { TurnEvent } from '@steploop/core/adapter'
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
    for (const [id, part] of Object.entries(formsFor(stressCase))) {
      const provided = provider(stressCase, part)
      for (const [chunks, size] of Object.entries(chunkSizes)) {
        const variant = `${id}/${chunks}`
        if (!search.tries(variant)) continue
        const message = await settleWithin(
          stressCase.deadline,
          'the turn',
          faultOf(stressCase, part, provided(size)),
        ).catch(described)
        if (message !== undefined) search.found(variant, [{ message: `\`${variant}\`: ${message}` }])
      }
    }
    return search.outcome()
  },
}

/** Bytes of a chunk: the whole body, what is read from a socket at most, what a packet holds. */
const chunkSizes = { whole: 2 ** 30, 'chunks-of-64-kB': 64 * 1024, 'chunks-of-1-kB': 1000 }

function words(length: number): string {
  const sentences = Array.from({ length: length / 16 }, (_, index) => `${index} in Zürich, 東京. `)
  return sentences.join('').slice(0, length).trimEnd()
}

function formsFor({ subject, mode }: StressCase): Readonly<Record<string, ScriptedPart>> {
  const text = say(words(6_000))
  if (!holdsIn(subject.adapter({ apiKey: canary }).capabilities.tools, mode)) return { text }
  return {
    text,
    // Limits are numbers such as 16 and 64 kB; a stream of that many pieces costs a second.
    input: call('lookup', { sought: words(mode === 'generate' ? 70_000 : 17_000) }),
    // No format cuts the name of a tool into deltas.
    event: call(`lookup_${'a1'.repeat(36_000)}`, { sought: 'ok' }),
  }
}

/** A response that is simulated once, and delivered as often as there are sizes. */
function provider({ subject }: StressCase, part: ScriptedPart): (size: number) => typeof fetch {
  const simulated = simulatedFetch({ subject, script: [answer(part)] })
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
  part: ScriptedPart,
  fetch: typeof globalThis.fetch,
): Promise<string | undefined> {
  const request = { messages: [ask], turn: 0, ...(part.type === 'call' && { tools: [lookup] }) }
  return lost(part, await eventsOf(subject.adapter({ fetch, apiKey: canary }).turn(request, { mode })))
}

function lost(part: ScriptedPart, events: readonly TurnEvent[]): string | undefined {
  if (part.type === 'text') {
    const told = events.map((event) => (event.type === 'text-delta' ? event.text : '')).join('')
    return told === part.text
      ? undefined
      : `of a text of ${part.text.length} letters ${told.length} are told, or others`
  }
  if (part.type !== 'call') return undefined
  const due = JSON.stringify(part.input)
  const told = events.map((event) => (event.type === 'tool-call' ? JSON.stringify(event.input) : '')).join('')
  return told === due ? undefined : `of an input of ${due.length} letters ${told.length} are told, or others`
}
