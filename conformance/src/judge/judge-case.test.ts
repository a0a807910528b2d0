import { expect, test } from 'vitest'
import type { Check } from '../check.ts'
import type { Evidence, SentRequest } from '../evidence.ts'
import type { Scenario } from '../scenario.ts'
import type { Subject } from '../subject.ts'
import { judgeCase } from './judge-case.ts'

const request: Partial<SentRequest> = { method: 'POST', body: {}, view: undefined }

function verdictsFor(wire: string, checks: readonly Check[]): readonly string[] {
  const subject: Partial<Subject> = { name: 'own', wire }
  const scenario: Partial<Scenario> = { id: 'toy', golden: '', checks }
  const evidence = {
    subject,
    scenario: 'toy',
    mode: 'stream',
    runs: [{ requests: [request], turns: [] }],
    replayProblems: [],
  }
  const reports = judgeCase(evidence as unknown as Evidence, scenario as Scenario, subject as Subject)
  return checks.map(({ id }) => {
    const report = reports.find((one) => one.id === id)
    return `${id} ${report?.verdict}${report?.reason === undefined ? '' : `: ${report.reason}`}`
  })
}

const looks: Check = {
  id: 'looks',
  sentence: 'A call goes back.',
  judge: ({ runs }) => (runs[0]?.requests[0]?.view?.items.length === 0 ? [{ message: 'it does not' }] : []),
}
const finds: Check = {
  ...looks,
  id: 'finds',
  judge: (evidence) => [...looks.judge(evidence), { message: 'something else' }],
}
const listens: Check = {
  ...looks,
  id: 'listens',
  judge: ({ runs }) => (runs.length === 1 ? [] : [{ message: 'no run' }]),
}

test('what looks into requests that the suite cannot read has seen nothing; what it finds elsewhere counts', () => {
  expect(verdictsFor('own-format', [looks, finds, listens])).toEqual([
    "looks not-applicable: the suite has no reader for request bodies of the wire format 'own-format'",
    'finds fail',
    'listens pass',
  ])
})

test('where there is a reader, a request that is not there is no excuse', () => {
  expect(verdictsFor('openai-chat', [looks, listens])).toEqual(['looks pass', 'listens pass'])
})
