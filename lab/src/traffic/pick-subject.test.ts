import { expect, it } from 'vitest'
import type { Subject } from '@steploop/conformance'
import { pickSubject } from './pick-subject.ts'
import { chatSubject } from './testing.ts'

const generic: Subject = { ...chatSubject(), name: 'generic' }
const xai: Subject = { ...chatSubject(), name: 'xai', hosts: ['x.ai'] }
const ollama: Subject = { ...chatSubject(), name: 'ollama', hosts: ['localhost:11434'] }
const subjects = [generic, xai, ollama]

function picked(wire: string, host: string | undefined, from = subjects): string | undefined {
  return pickSubject(from, { wire, host, isTurn: true, mode: 'stream' })?.name
}

it('the subject whose hosts name the host decodes it', () => {
  expect(picked('openai-chat', 'api.x.ai')).toBe('xai')
  expect(picked('openai-chat', 'X.AI:443')).toBe('xai')
})

it('a host that only ends in the same letters is another host', () => {
  expect(picked('openai-chat', 'phoenix.ai')).toBe('generic')
})

it('a port in `hosts` wants that port', () => {
  expect(picked('openai-chat', 'localhost:11434')).toBe('ollama')
  expect(picked('openai-chat', 'localhost:1234')).toBe('generic')
})

it('other hosts and none fall to the subject without `hosts`', () => {
  expect(picked('openai-chat', 'api.example.com')).toBe('generic')
  expect(picked('openai-chat', undefined)).toBe('generic')
})

it('without such a subject, and for other wire formats, there is none', () => {
  expect(picked('openai-chat', 'api.example.com', [xai])).toBeUndefined()
  expect(picked('anthropic-messages', 'api.x.ai')).toBeUndefined()
})
