import { AdapterError } from '@steploop/core'
import { defineSubject, type Subject } from '@steploop/conformance'
import { expect, test } from 'vitest'
import { sourcesOf, type SourceOptions } from './record-source.ts'

const never = (): never => {
  throw new AdapterError({ provider: 'mine', model: 'm', code: 'unsupported' })
}

function subjectOf(name: string, given: Partial<Subject> = {}): Subject {
  const facts = { name, wire: 'openai-chat', model: 'm', baseURL: 'https://api.mine.dev/v1', cassettes: '.' }
  return defineSubject({ ...facts, adapter: never, ...given })
}

const home = subjectOf('home')
const fresh = subjectOf('fresh', { baseURL: 'https://api.example.com/v1' })
const own = subjectOf('own', { wire: 'own-chat' })
const scripted = defineSubject({ name: 'scripted', wire: 'pipe', model: 'm', turnScript: never })

const all: SourceOptions = { needsKey: false, named: false }

function names(subjects: readonly Subject[], options: SourceOptions): readonly string[] {
  return sourcesOf(subjects, options).map(({ subject }) => subject.name)
}

test('of several subjects those without an address, and those without HTTP, are left out', () => {
  expect(names([home, fresh, scripted], all)).toEqual(['home'])
  expect(names([home, fresh, scripted], { ...all, simulator: true })).toEqual(['home', 'fresh'])
})

test.each([
  ['where none has an address', [fresh], all, /'fresh' has no address.*https:\/\/api\.example\.com.*baseURL/],
  ['where none speaks HTTP', [scripted], all, /nothing to record of 'scripted'.*turnScript/],
  ['where none speaks HTTP, from the simulator', [scripted], { ...all, simulator: true }, /nothing to record/],
  ['where one that is named speaks no HTTP', [home, scripted], { ...all, named: true }, /nothing to record/],
  [
    'where the simulator does not speak a format',
    [home, own],
    { ...all, simulator: true },
    /does not speak 'own-chat' of 'own'.*openai-chat.*--simulated/,
  ],
] as const)('nothing is recorded in silence: %s, that is wrong use', (_, subjects, options, message) => {
  expect(() => sourcesOf(subjects, options)).toThrow(message)
})
