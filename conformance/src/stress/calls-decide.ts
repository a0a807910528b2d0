import { settleWithin } from '../deadline.ts'
import { described } from '../described.ts'
import { holdsIn } from '../judge/applicability.ts'
import { isSimulated } from '../play/own-format.ts'
import { canary } from '../play/play-scenario.ts'
import { simulatedFetch } from '../play/simulated-fetch.ts'
import { answer, call } from '../script-parts.ts'
import { ask, lookup } from './requests/request-form.ts'
import { eventsOf } from './replay-turn.ts'
import type { StressCase } from './stressor.ts'
import type { VariantSearch } from './variant-search.ts'

/** Servers call an answer with calls finished, or what nobody knows yet: the calls are to be run all the same. Once for a subject. */
export async function callsDecide(stressCase: StressCase, search: VariantSearch): Promise<void> {
  const { subject, mode, sweep, only, deadline } = stressCase
  const { tools } = subject.adapter({ apiKey: canary }).capabilities
  if (!isSimulated(subject) || !holdsIn(tools, mode)) return
  for (const finish of ['stop', 'unheard-of'] as const) {
    const variant = `${finish}-beside-calls`
    const key = `tolerate ${mode} ${variant}`
    if ((only === undefined && (sweep.seen.has(key) || !sweep.isFirst)) || !search.tries(variant)) continue
    sweep.seen.add(key)
    const told = await settleWithin(deadline, 'the turn', reasonOf(stressCase, finish)).catch(described)
    if (told === 'tool-calls') continue
    const message = `an answer with a call, which the provider ends with its word for \`${finish}\`, has the finish reason \`${told}\`, not \`tool-calls\``
    search.found(variant, [{ message }])
  }
}

async function reasonOf({ subject, mode }: StressCase, finish: 'stop' | 'unheard-of'): Promise<string | undefined> {
  const script = [{ ...answer(call('lookup', { sought: 'ok' })), finish }]
  const { fetch } = simulatedFetch({ subject, script })
  const events = await eventsOf(subject.adapter({ fetch, apiKey: canary }).turn(request, { mode }))
  return events.find((event) => event.type === 'turn-end')?.finishReason
}

const request = { messages: [ask], tools: [lookup], turn: 0 }
