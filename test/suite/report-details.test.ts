import { runConformance, type Subject } from '@steploop/conformance'
import { reportSchema, type CaseDetails } from '@steploop/conformance/cli'
import { expect, test } from 'vitest'
import { faulty, mutantNamed } from './broken-subject.ts'
import { subjectNamed } from '../scratch.ts'

const anthropic = subjectNamed('anthropic')
const order = { stress: [], details: true } as const

async function detailsOf(subject: Subject, scenario: string): Promise<CaseDetails> {
  const report = await runConformance([subject], { ...order, scenario: [scenario], mode: 'stream' })
  return report.cases[0]!.details!
}

test('a report with details survives JSON and its schema, and has the day and the group of each scenario', async () => {
  const report = await runConformance([anthropic], { ...order, scenario: ['parallel-calls'], today: '2026-11-22' })
  const read = reportSchema.parse(JSON.parse(JSON.stringify(report)))
  expect(read).toEqual(report)
  expect(read).toMatchObject({ version: 1, date: '2026-11-22', scenarios: [{ group: 'tool calls' }] })
})

test('details follow the run: the request as recorded, its response in chunks, the events, what the tools got and gave', async () => {
  const { runs, unused, cassette } = await detailsOf(anthropic, 'parallel-calls')
  expect(cassette?.file).toMatch(/cassettes.anthropic.parallel-calls\.stream\.yaml$/)
  expect(unused).toEqual([])
  const [first, second] = runs[0]!.steps
  expect(first!.attempts[0]!.request).toMatchObject({ exchange: 1, method: 'POST' })
  expect(first!.attempts[0]!.response!.chunks.map(({ text }) => text).join('')).toContain('message_stop')
  expect(first!.attempts[0]!.events.at(-1)?.type).toBe('turn-end')
  expect(first!.executions).toMatchObject([
    { toolName: 'get_weather', input: { city: 'Zürich' }, ran: true, output: { value: { city: 'Zürich' } } },
    { toolName: 'get_time', ran: true },
  ])
  expect(second!.executions).toEqual([])
  expect(runs[0]!.end).toMatchObject({ type: 'result', status: 'completed' })
})

test('a turn that is tried again is one step with two attempts, and what was waited between them', async () => {
  const { runs } = await detailsOf(anthropic, 'rate-limited')
  const [run] = runs.filter(({ steps }) => steps.some(({ attempts }) => attempts.length > 1))
  const [again] = run!.steps.filter(({ attempts }) => attempts.length > 1)
  expect(again!.attempts[0]!.error).toContain('AdapterError')
  expect(again!.attempts.at(-1)).not.toHaveProperty('error')
  expect(run!.waits.length).toBeGreaterThan(0)
})

test('a request that differs has its diff, no response, and leaves its exchange unused', async () => {
  const broken = mutantNamed('lose-second-call').apply(anthropic)
  const { runs, unused } = await detailsOf(broken, 'parallel-calls')
  const [request, response] = [runs[0]!.steps[1]!.attempts[0]!.request!, runs[0]!.steps[1]!.attempts[0]!.response]
  expect(request.diff).toMatch(/^- .*get_time/m)
  expect(request.diff).toMatch(/^ {2}POST /)
  expect(response).toBeUndefined()
  expect(unused.map(({ exchange }) => exchange)).toEqual([2])
  expect(runs[0]!.end).toMatchObject({ type: 'error', code: 'turn-failed' })
})

test('calls that were answered by nobody here are not said to have run', async () => {
  const { runs } = await detailsOf(anthropic, 'client-tool')
  const executions = runs[0]!.steps.flatMap((step) => step.executions)
  expect(executions).toMatchObject([{ ran: false }])
  expect(executions[0]).not.toHaveProperty('output')
})

test('an adapter that never stops yielding events has the first 500 of them and the number of the others', async () => {
  const endless = faulty(
    anthropic,
    (adapter) =>
      async function* endlessTurn(request, context) {
        for await (const batch of adapter.turn(request, context)) {
          yield batch
          yield Array.from({ length: 1_000 }, () => ({ type: 'text-delta', part: 9, text: 'x' }) as const)
        }
      },
  )
  const { runs } = await detailsOf(endless, 'text-only')
  const [attempt] = runs[0]!.steps[0]!.attempts
  expect(attempt!.events).toHaveLength(500)
  expect(attempt!.eventsLeftOut).toBeGreaterThan(500)
})
