import { describe, expect, test } from 'vitest'
import { createRedactor } from './redactor.ts'

const key = 'sk-live-0123456789abcdefghijklmnop'
const odd = 'p"a/s\\s&w<o>r%d+1'
const escapedByCode = (text: string, form: (code: number) => string): string =>
  Array.from(text, (character) => form(character.codePointAt(0) ?? 0)).join('')

const spellings: readonly (readonly [string, (secret: string) => string])[] = [
  ['as it is', (secret) => secret],
  ['in JSON', (secret) => JSON.stringify({ secret })],
  ['in JSON in JSON', (secret) => JSON.stringify(JSON.stringify({ secret }))],
  ['in JSON with escaped slashes', (secret) => JSON.stringify(secret).replaceAll('/', '\\/')],
  ['in JSON by numbers', (secret) => escapedByCode(secret, (code) => `\\u${code.toString(16).padStart(4, '0')}`)],
  ['in JavaScript by numbers', (secret) => escapedByCode(secret, (code) => `\\x${code.toString(16)}`)],
  ['in a URL', (secret) => encodeURIComponent(secret)],
  ['in a URL in a URL', (secret) => encodeURIComponent(encodeURIComponent(secret))],
  ['in a URL, all of it', (secret) => escapedByCode(secret, (code) => `%${code.toString(16)}`)],
  ['in HTML', (secret) => secret.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')],
  ['in HTML by numbers', (secret) => escapedByCode(secret, (code) => `&#${code};`)],
  ['in base64', (secret) => btoa(secret)],
  ['in base64 behind one character', (secret) => btoa(`:${secret}`)],
  ['in base64 behind two, with more behind it', (secret) => btoa(`u:${secret}!`)],
  ['in base64 for URLs', (secret) => btoa(secret).replaceAll('+', '-').replaceAll('/', '_')],
]

describe.each([key, odd])('a secret like %s', (secret) => {
  const hide = createRedactor([secret])

  test.each(spellings)('is hidden %s', (_how, spell) => {
    const spelled = spell(secret)
    const hidden = hide(`before ${spelled} after`)
    expect(hidden).toMatch(/^before .*\[redacted\].* after$/s)
    expect(hidden.length).toBeLessThan(`before  after`.length + '[redacted]'.length + 24)
    expect(hide(spelled)).not.toContain(spelled)
  })
})

test('a secret that is percent-encoded itself is hidden in both forms', () => {
  const hide = createRedactor(['a%2Fb%3Dlong'])
  expect(hide('one a%2Fb%3Dlong, two a/b=long, three a%252Fb%253Dlong')).toBe(
    'one [redacted], two [redacted], three [redacted]',
  )
})

test('pieces of a key are hidden, wherever it was cut', { tags: ['E13'] }, () => {
  const hide = createRedactor([key])
  for (let length = 12; length < key.length; length++) {
    for (let start = 0; start + length <= key.length; start++) {
      expect(hide(`"${key.slice(start, start + length)}" was cut`)).toBe('"[redacted]" was cut')
    }
  }
})

test('pieces that are escaped are hidden, too', () => {
  const hide = createRedactor(['p/0123456789abcdef'])
  expect(hide(String.raw`cut p\/0123456789ab and \u0030123456789abcde`)).toBe('cut [redacted] and [redacted]')
})

test('a text that ends within a key does not show its beginning', () => {
  const hide = createRedactor([key, 'pass-word'])
  for (let length = 6; length < key.length; length++) expect(hide(`cut ${key.slice(0, length)}`)).toBe('cut [redacted]')
  expect(hide('cut pass-wo')).toBe('cut [redacted]')
})

test('of two secrets of which one begins with the other neither leaves its end behind', () => {
  expect(createRedactor(['long-key', 'long-key-and-more'])('long-key-and-more long-key')).toBe('[redacted] [redacted]')
})

test('what is no secret stays as it is', () => {
  const text = 'a "quoted" \\ path, 100%, &amp; \\u0041 %41 sk-live- keys'
  expect(createRedactor([key, 'abc', ''])(text)).toBe(text)
  expect(createRedactor([])(text)).toBe(text)
})

test('a piece of twelve characters is hidden wherever in a text it stands, and one of eleven is not', () => {
  const secret = 'q7Zk2mWx9Rt4Lp0V'
  const redact = createRedactor([secret])
  for (let before = 0; before < 14; before++) {
    for (let from = 0; from + 12 <= secret.length; from++) {
      const text = `${'.'.repeat(before)}${secret.slice(from, from + 12)} and more`
      expect(redact(text)).toBe(`${'.'.repeat(before)}[redacted] and more`)
    }
    const shorter = `${'.'.repeat(before)}${secret.slice(2, 13)} and more`
    expect(redact(shorter)).toBe(shorter)
  }
})
