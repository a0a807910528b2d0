import { runConformance, type Subject } from '@steploop/conformance'
import { features } from '@steploop/conformance/cli'
import { expect, test } from 'vitest'
import config from '../../steploop.config.ts'
import { brokenCitations } from './doc-anchors.ts'

/** What the adapter does not declare, or not in both modes. */
function absent({ adapter }: Subject): readonly string[] {
  const { capabilities } = adapter({ apiKey: 'none' })
  const missing = features.filter((flag) => {
    const value = capabilities[flag]
    return typeof value === 'object' ? !(value.generate && value.stream) : value !== true
  })
  return (capabilities.toolChoice ?? []).length === 4 ? missing : [...missing, 'toolChoice']
}

test.each(config.subjects.map((subject) => [subject.name, subject] as const))(
  '%s names a documented limit for each capability that it does not declare, and for no other',
  (_, subject) => {
    const limits = subject.limits ?? {}
    expect(Object.keys(limits).toSorted()).toEqual([...absent(subject)].toSorted())
    for (const [flag, reason] of Object.entries(limits)) {
      expect(reason, `${subject.name}.${flag}`).toMatch(/https:\/\/|docs\/wire\.md#/)
      expect(brokenCitations(reason), `${subject.name}.${flag}`).toEqual([])
    }
  },
)

test('a report gives the limit beside what does not apply, and marks formats of which few turns were recorded', async () => {
  const subjects = config.subjects.map((subject) => ({ ...subject, unverified: 'two turns were recorded' }))
  const report = await runConformance(subjects, {
    only: ['ollama'],
    scenario: ['continuation'],
    mode: 'generate',
    stress: [],
  })
  expect(report.cases[0]?.reason).toBe(
    'the adapter declares no `continuation` in generate mode: nothing is stored: https://docs.ollama.com/api/chat',
  )
  expect(report.subjects[0]?.unverified).toBe('two turns were recorded')
})
