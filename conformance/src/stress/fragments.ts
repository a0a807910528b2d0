import type { TurnEvent } from '@steploop/core/adapter'
import { canonicalJson } from '../json.ts'
import { wireKit } from '../wires/index.ts'
import { openSearch } from './variant-search.ts'
import { recordedTurns, turnLocation, turnReplayer, type RecordedTurn } from './replay-turn.ts'
import type { StressCase, Stressor } from './stressor.ts'

/** Some wire formats leave it to the server how calls are cut into fragments, and servers differ. */
export const fragments: Stressor = {
  id: 'fragments',
  sentence: 'However a chat stream cuts its calls into fragments and marks them, the same calls come out.',
  async run(stressCase) {
    const search = openSearch(stressCase)
    const rewrites = wireKit(stressCase.subject.wire)?.callFragments ?? []
    for (const recorded of rewrites.length === 0 ? [] : turnsWithCalls(stressCase)) {
      const replay = turnReplayer(stressCase, recorded)
      const text = new TextDecoder().decode(recorded.body)
      const whole = callsOf((await replay({ chunks: [recorded.body] })).events)
      for (const { id, title, change } of rewrites) {
        const variant = `${recorded.number}/${id}`
        if (!search.tries(variant)) continue
        const outcome = await replay({ chunks: [new TextEncoder().encode(change(text))] })
        const got =
          outcome.error === undefined ? callsOf(outcome.events) : `it throws ${outcome.error}: ${outcome.message}`
        if (got === whole) continue
        const message = `with ${title} the stream gives other calls.\n- ${whole}\n+ ${got}`
        search.found(variant, [{ message, where: turnLocation(stressCase.evidence, recorded.number) }])
      }
    }
    return search.outcome('no stream of Chat Completions holds a call here')
  },
}

function turnsWithCalls(stressCase: StressCase): readonly RecordedTurn[] {
  if (stressCase.mode !== 'stream') return []
  return recordedTurns(stressCase).filter(({ turn }) => turn.events.some(({ type }) => type === 'tool-call'))
}

function callsOf(events: readonly TurnEvent[]): string {
  const calls = events.flatMap((event) => (event.type === 'tool-call' ? [event] : []))
  return calls
    .map(({ toolCallId, toolName, input }) => `${toolName} ${canonicalJson(input)} (${toolCallId})`)
    .join(', ')
}
