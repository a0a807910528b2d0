import type { Failure } from '../check.ts'
import { eventOrder, oneTerminalEvent, textIsFold } from '../judge/event-checks.ts'
import { resultsInOrder, runsOnce, settles, usageAddsUp } from '../judge/run-checks.ts'
import type { Evidence } from '../evidence.ts'
import { replayFetch, replayProblems } from '../play/front-ends.ts'
import { playScenario } from '../play/play-scenario.ts'
import { lineDiff } from '../judge/trace/line-diff.ts'
import { traceOf, type Trace } from '../judge/trace/trace.ts'
import { openSearch } from './variant-search.ts'
import type { StressCase, Stressor } from './stressor.ts'

/** What goes wrong in a network goes wrong before any request. */
export const flaky: Stressor = {
  id: 'flaky',
  sentence:
    'A 503, a 429 with a delay or a reset before any request is waited out: the run gives the same trace, and no tool runs twice.',
  onlyInFull: true,
  async run(stressCase) {
    const search = openSearch(stressCase)
    // What fails by itself has its own number of attempts.
    if (!goesWell(stressCase)) return search.outcome('the case has failures, or broken answers, of its own')
    for (const [index] of stressCase.cassette.exchanges.entries()) {
      for (const fault of faults) {
        const variant = `${index + 1}/${fault.id}`
        if (search.tries(variant)) search.found(variant, await interfere(stressCase, index + 1, fault))
      }
    }
    return search.outcome()
  },
}

function goesWell({ evidence, cassette, scenario }: StressCase): boolean {
  const whole = scenario.script.every((turn) => turn.type === 'answer' && turn.cutAfter === undefined)
  const turns = evidence.runs.flatMap((run) => run.turns)
  return (
    whole &&
    turns.length === cassette.exchanges.length &&
    turns.every(({ error }) => error === undefined) &&
    cassette.exchanges.every(({ response }) => response.status === 200 && response.ending === 'eof')
  )
}

const delaySeconds = 7

interface Fault {
  readonly id: string
  readonly title: string
  readonly respond: () => Response
  /** Milliseconds that the loop has to wait at least. */
  readonly wait?: number | undefined
}

const faults: readonly Fault[] = [
  {
    id: '503',
    title: 'a 503',
    respond: () =>
      new Response('upstream connect error: Zürich', { status: 503, headers: { 'content-type': 'text/plain' } }),
  },
  {
    id: '429',
    title: `a 429 that asks for ${delaySeconds} seconds`,
    respond: () =>
      Response.json(
        { error: { message: 'slow down', type: 'rate_limit' } },
        { status: 429, headers: { 'retry-after': String(delaySeconds) } },
      ),
    wait: delaySeconds * 1000,
  },
  {
    id: 'reset',
    title: 'a connection that is reset',
    respond() {
      const cause = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' })
      throw new TypeError('fetch failed', { cause })
    },
  },
]

async function interfere(stressCase: StressCase, number: number, fault: Fault): Promise<readonly Failure[]> {
  const { subject, scenario, mode, deadline, cassette, fileName } = stressCase
  const { fetch: answer, replay } = replayFetch(cassette, fileName)
  let asked = 0
  const fetch: typeof globalThis.fetch = async (input, init) =>
    ++asked === number ? fault.respond() : answer(input, init)
  const played = await playScenario({
    subject,
    scenario,
    mode,
    fetch,
    deadline,
    instantPauses: true,
    override: { maxRetries: 2 },
  })
  const evidence = { ...played, replayProblems: replayProblems(replay) }
  const wrong = [...sameTrace(stressCase.evidence, evidence), ...waited(evidence, fault), ...stillHolds(evidence)]
  return wrong.map(({ message, where }) => ({
    message: `with ${fault.title} in place of answer ${number}: ${message}`,
    where,
  }))
}

/** A failed attempt is one request more, and nothing else. */
function sameTrace(before: Evidence, now: Evidence): readonly Failure[] {
  const [expected, got] = [before, now].map(({ runs }) => JSON.stringify(withoutCounts(traceOf(runs)), undefined, 1))
  const problems = now.replayProblems.slice(0, 1)
  if (expected === got && problems.length === 0) return []
  const lines = lineDiff(expected ?? '', got ?? '')
    .split('\n')
    .filter((line) => !line.startsWith('  '))
  return [
    { message: `the run gives another trace (- before, + now):\n${[...lines.slice(0, 8), ...problems].join('\n')}` },
  ]
}

function withoutCounts({ runs }: Trace): unknown {
  return runs.map((run) => ({ ...run, requests: undefined }))
}

function waited({ runs }: Evidence, { wait }: Fault): readonly Failure[] {
  const waits = runs.flatMap((run) => run.waits)
  if (wait === undefined || waits.some((ms) => ms >= wait)) return []
  const reported = waits.length === 0 ? 'it did not wait' : `it waited ${waits.join(', ')} ms`
  return [{ message: `the provider asks for ${wait} ms, ${reported}` }]
}

function stillHolds(evidence: Evidence): readonly Failure[] {
  const checks = [settles, runsOnce, resultsInOrder, oneTerminalEvent, eventOrder, textIsFold, usageAddsUp]
  return checks
    .filter((check) => check.notSeen?.(evidence) === undefined)
    .flatMap((check) => check.judge(evidence).slice(0, 1))
}
