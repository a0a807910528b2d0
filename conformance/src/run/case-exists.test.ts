import type { Adapter, Capabilities } from '@steploop/core'
import { expect, test } from 'vitest'
import { scopesOf } from '../wires/any-format/scopes.ts'
import type { Scenario } from '../scenario.ts'
import type { Subject } from '../subject.ts'
import { existsFor } from './case-exists.ts'

function subjectWith(given: Partial<Subject>, capabilities: Capabilities = {}): Subject {
  const adapter: Adapter = {
    provider: 'p',
    model: 'm',
    capabilities,
    turn: () => {
      throw new Error('nobody asks')
    },
  }
  const base = { name: 'mine', wire: 'openai-chat', model: 'm', baseURL: 'https://api.groq.com/openai/v1' }
  return { ...base, cassettes: '.', adapter: () => adapter, ...given }
}

function scenarioWith(given: Partial<Scenario>): Scenario {
  return {
    id: 'one',
    title: 'One.',
    script: [],
    golden: '',
    checks: [],
    run: () => Promise.resolve(),
    ...given,
  }
}

test('a location is the wire format, the dialect by the host, and what the subject declares; its name is none', () => {
  expect(scopesOf(subjectWith({}))).toEqual(['openai-chat', 'openai-chat/groq'])
  expect(scopesOf(subjectWith({ scopes: ['openai-chat/any-server'] })).at(-1)).toBe('openai-chat/any-server')
  expect(scopesOf(subjectWith({ baseURL: 'https://llm.example.com/v1' }))[1]).toBe('openai-chat/compatible')
  expect(scopesOf(subjectWith({ wire: 'telepathy' }))[1]).toBe('telepathy/compatible')
})

test.each([
  [['openai-chat'], ['generate', 'stream']],
  [['openai-chat/groq'], ['generate', 'stream']],
  [['mine'], []],
  [['openai-chat/stream'], ['stream']],
  [['openai-chat/groq/generate'], ['generate']],
  [['openai-chat/mistral', 'another'], []],
])('a scenario at %j exists in the modes %j', (wires, modes) => {
  const found = (['generate', 'stream'] as const).filter((mode) =>
    existsFor(scenarioWith({ appliesTo: { wires } }), subjectWith({}), mode),
  )
  expect(found).toEqual(modes)
})

test('what happens without a capability is no case where the adapter has it, mode by mode', () => {
  const scenario = scenarioWith({ appliesTo: { without: ['imageInput'] } })
  const subject = subjectWith({}, { imageInput: { generate: true, stream: false } })
  expect(existsFor(scenario, subject, 'generate')).toBe(false)
  expect(existsFor(scenario, subject, 'stream')).toBe(true)
})

test('a subject that names its scenarios has no others, and one without an adapter has none that ask for capabilities', () => {
  expect(existsFor(scenarioWith({ id: 'two' }), subjectWith({ scenarios: ['one'] }), 'stream')).toBe(false)
  expect(existsFor(scenarioWith({}), subjectWith({ scenarios: ['one'] }), 'stream')).toBe(true)
  const broken = subjectWith({
    adapter: () => {
      throw new Error('no licence')
    },
  })
  expect(existsFor(scenarioWith({ appliesTo: { without: ['tools'] } }), broken, 'stream')).toBe(false)
  expect(existsFor(scenarioWith({}), broken, 'stream')).toBe(true)
})
