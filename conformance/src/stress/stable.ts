import type { Message, TurnRequest } from '@steploop/core/adapter'
import { NotSettled, settleWithin } from '../deadline.ts'
import { factsOf } from '../play/observe-fetch.ts'
import { canary } from '../play/play-scenario.ts'
import { lineDiff } from '../judge/trace/line-diff.ts'
import { parsed } from '../json.ts'
import { openSearch } from './variant-search.ts'
import { recordedTurns, turnLocation } from './replay-turn.ts'
import type { StressCase, Stressor } from './stressor.ts'

/** Encoding is a pure function of the turn: prompt caches, cassettes and resumed runs rest on it. */
export const stable: Stressor = {
  id: 'stable',
  sentence:
    'The same turn is encoded to the same bytes, again and again, by another instance, after a JSON round trip, and where the messages around it were edited.',
  async run(stressCase) {
    const search = openSearch(stressCase)
    const { mode, sweep, only, evidence } = stressCase
    const recorded = recordedTurns(stressCase)
    for (const { number, turn } of recorded) {
      const sent = evidence.runs.flatMap(({ requests }) => requests)[number - 1]?.text
      const variant = String(number)
      const { tools: _, ...told } = turn.request
      const key = `stable ${mode} ${sent} ${JSON.stringify(told)}`
      if (sent === undefined || (only === undefined && sweep.seen.has(key)) || !search.tries(variant)) continue
      const where = turnLocation(evidence, number)
      const copied = copyOf(turn.request)
      // One instance for all: what it remembers of the turns before shows in those after.
      const turns = [turn.request, turn.request, copied, copied]
      const other = (await bodiesOf(stressCase, turns)).find((body) => body !== sent)
      if (other === undefined) sweep.seen.add(key)
      else search.found(variant, [{ message: difference(sent, other), where }])
      const edited = withOtherCalls(turn.request)
      if (edited === undefined || !search.tries(`${number}/edited`)) continue
      const [, kept = ''] = await bodiesOf(stressCase, [turn.request, edited])
      const [fresh = ''] = await bodiesOf(stressCase, [copyOf(edited)])
      if (kept === fresh) continue
      sweep.seen.delete(key)
      search.found(`${number}/edited`, [{ message: difference(fresh, kept), where }])
    }
    return search.outcome(recorded.length === 0 ? 'no request stands beside its turn' : undefined)
  },
}

/** What JSON gives back has the type of what went in: a turn request is plain data. */
function copyOf({ tools, ...request }: TurnRequest): TurnRequest {
  return { ...(JSON.parse(JSON.stringify(request)) as TurnRequest), tools }
}

/** An edited history: other calls, and the very same messages beside them. */
function withOtherCalls(request: TurnRequest): TurnRequest | undefined {
  const messages = request.messages.map((message): Message => {
    if (message.role !== 'assistant') return message
    const content = message.content.map((part) => {
      if (part.type !== 'tool-call' || part.owner === 'provider') return part
      const { providerMetadata: _, ...call } = part
      return { ...call, toolName: `${call.toolName}_2` }
    })
    return content.some((part, at) => part !== message.content[at]) ? { ...message, content } : message
  })
  return messages.some((message, at) => message !== request.messages[at]) ? { ...request, messages } : undefined
}

/** The bodies that one fresh instance sends for these turns, each of which is left there: to answer costs more than to ask. */
async function bodiesOf(
  { subject, mode, deadline }: StressCase,
  requests: readonly TurnRequest[],
): Promise<readonly string[]> {
  const bodies: string[] = []
  let caller = new AbortController()
  const fetch: typeof globalThis.fetch = async (input, init) => {
    bodies.push((await factsOf(input, init)).text)
    caller.abort()
    throw caller.signal.reason
  }
  const adapter = subject.adapter({ fetch, apiKey: canary })
  for (const request of requests) {
    caller = new AbortController()
    const turn = adapter.turn(request, { mode, signal: caller.signal })
    try {
      await settleWithin(deadline, 'the turn', turn[Symbol.asyncIterator]().next())
    } catch (error) {
      // Else it is the abort above.
      if (error instanceof NotSettled) throw error
    }
  }
  return bodies
}

function difference(sent: string, other: string): string {
  const [left = '', right = ''] = [sent, other].map((text) => JSON.stringify(parsed(text), undefined, 1) ?? text)
  const lines = lineDiff(left, right)
    .split('\n')
    .filter((line) => !line.startsWith('  '))
  const shown = lines.length === 0 ? 'the order of keys or the white space differs' : lines.slice(0, 8).join('\n')
  return `the same turn is encoded in another way (- before, + now):\n${shown}`
}
