import type { TurnRequest } from '@steploop/core/adapter'
import { NotSettled, settleWithin } from '../deadline.ts'
import { PlainResponse } from '../play/plain-classes.ts'
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
    'The same turn is encoded to the same bytes, again and again, by another instance, and after a JSON round trip.',
  async run(stressCase) {
    const search = openSearch(stressCase)
    for (const { number, turn } of recordedTurns(stressCase)) {
      const sent = stressCase.evidence.runs.flatMap(({ requests }) => requests)[number - 1]?.text
      const variant = String(number)
      if (sent === undefined || !search.tries(variant)) continue
      const { tools } = turn.request
      // What JSON gives back has the type of what went in: a turn request is plain data.
      const copied = JSON.parse(JSON.stringify({ ...turn.request, tools: undefined })) as TurnRequest
      // One instance for all: what it remembers of the turns before shows in those after.
      const turns = [turn.request, turn.request, { ...copied, tools }, { ...copied, tools }]
      const other = (await bodiesOf(stressCase, turns)).find((body) => body !== sent)
      if (other !== undefined)
        search.found(variant, [{ message: difference(sent, other), where: turnLocation(stressCase.evidence, number) }])
    }
    return search.outcome('no request stands beside its turn')
  },
}

/** The bodies that one fresh instance sends for these turns. The answer is of no interest. */
async function bodiesOf(
  { subject, mode, deadline }: StressCase,
  requests: readonly TurnRequest[],
): Promise<readonly string[]> {
  const bodies: string[] = []
  const fetch: typeof globalThis.fetch = async (input, init) => {
    bodies.push(typeof init?.body === 'string' ? init.body : await new Request(input, init).text())
    return new PlainResponse('{}', { status: 400 })
  }
  const adapter = subject.adapter({ fetch, apiKey: canary })
  for (const request of requests) {
    try {
      await settleWithin(deadline, 'the turn', adapter.turn(request, { mode })[Symbol.asyncIterator]().next())
    } catch (error) {
      // Else it is the refusal of the request above.
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
