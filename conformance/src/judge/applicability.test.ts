import type { Capabilities } from '@steploop/core'
import { expect, test } from 'vitest'
import type { Scenario } from '../scenario.ts'
import { scenarios } from '../scenarios/index.ts'
import type { Subject } from '../subject.ts'
import { hiddenClaims, notApplicable } from './applicability.ts'

const scenarioOf = (wanted: string): Scenario => scenarios.find(({ id }) => id === wanted)!
const structured = scenarioOf('structured')
const structuredWithTools = scenarioOf('structured-with-tools')

const adapter = (): never => {
  throw new Error('nobody asks')
}
const subject = { name: 'x', wire: 'w', model: 'm', baseURL: 'https://x.example', adapter, cassettes: '.' } as const

function applies(scenario: Scenario, capabilities: Capabilities, of: Subject = subject): boolean {
  return notApplicable(scenario, capabilities, { mode: 'stream', subject: of }) === undefined
}

test(
  'an object is asked for natively or, where there are tools, by core’s own; without either it is not asked for',
  { tags: ['E17'] },
  () => {
    expect(applies(structured, { structured: true })).toBe(true)
    expect(applies(structured, { tools: true, structured: { generate: true, stream: false } })).toBe(true)
    expect(notApplicable(structured, {}, { mode: 'stream', subject })).toContain('neither')
  },
)

test('an object beside tools needs a format that combines with them, or no format at all', () => {
  expect(applies(structuredWithTools, { tools: true })).toBe(true)
  expect(applies(structuredWithTools, { tools: true, structured: true, structuredWithTools: true })).toBe(true)
  expect(applies(structuredWithTools, { tools: true, structured: true })).toBe(false)
  expect(applies(structuredWithTools, { structured: true, structuredWithTools: true })).toBe(false)
})

test('a script that sees no requests plays objects only where they are written down', () => {
  const scripted: Subject = { ...subject, turnScript: adapter }
  expect(applies(structured, { tools: true, structured: true }, scripted)).toBe(true)
  expect(notApplicable(structured, { tools: true }, { mode: 'stream', subject: scripted })).toContain('turnScript')
})

test('a claim is red in the scenario that shows it where the subject leaves that out, and nowhere else', () => {
  const reasoningText = { ...structured, id: 'reasoning-text' }
  const silent: Subject = { ...subject, noWordsFor: { 'reasoning-text': 'no time', 'tool-choice-none': 'no time' } }
  const failing = (scenario: Scenario, capabilities: Capabilities, of = silent): readonly (string | undefined)[] =>
    hiddenClaims(scenario, capabilities, { mode: 'stream', subject: of }).map(({ where }) => where)
  expect(failing(reasoningText, { reasoning: true })).toEqual(['capabilities.reasoning'])
  expect(failing(reasoningText, { reasoning: { generate: true, stream: false } })).toEqual([])
  expect(failing(reasoningText, { reasoning: true }, subject)).toEqual([])
  expect(failing(structured, { reasoning: true })).toEqual([])
  expect(failing(reasoningText, { reasoning: true }, { ...silent, shownElsewhere: ['reasoning'] })).toEqual([])
  const none = { ...structured, id: 'tool-choice-none' }
  expect(failing(none, { toolChoice: ['none'] })).toEqual(['capabilities.toolChoice'])
  expect(failing(none, { toolChoice: ['required'] })).toEqual([])
})

test('a requirement that is spelt wrong is met by nobody', () => {
  const misspelt: Scenario = { ...structured, appliesTo: { requires: [JSON.parse('"tols"')] } }
  expect(notApplicable(misspelt, { tools: true, structured: true }, { mode: 'stream', subject })).toContain('`tols`')
})
