import { expect, test } from 'vitest'
import { AdapterError } from '../contract/errors.ts'
import { bareCause } from './bare-cause.ts'
import { redactError } from './redact-error.ts'
import { createRedactor } from './redactor.ts'

const key = 'canary-key'
const letters = 'q7Zk2mWx9Rt4Lp0V'

test.each<readonly [string, readonly string[], string, string]>([
  ['four characters', ['abcd'], 'an abcd', 'an [redacted]'],
  ['three characters are none', ['abc'], 'an abc', 'an abc'],
  ['what four escapes stand for', ['%41%42%43%44'], 'an ABCD', 'an [redacted]'],
  ['what three escapes stand for is none', ['%41%42%43'], 'an ABC', 'an ABC'],
  ['names of HTML', [`a&b<c>d"e'f`], 'x a&amp;b&lt;c&gt;d&quot;e&apos;f y', 'x [redacted] y'],
  ['names of HTML in capitals', ['a&bcd'], 'x a&AMP;bcd y', 'x [redacted] y'],
  ['the last character there is', ['pass\u{10FFFF}word'], 'x pass&#1114111;word y', 'x [redacted] y'],
  ['a number that is no character', ['&#x110000;/word'], String.raw`x &#x110000;\/word y`, 'x [redacted] y'],
  ['half a pair of surrogates', ['abcd\uD800efgh'], 'x abcd\uD800efgh undefined', 'x [redacted] undefined'],
  ['the later one first', ['pass/word-1', 'a/word'], String.raw`a\/word, pass\/word-1!`, '[redacted], [redacted]!'],
  ['two that touch', ['pass/word', 'word/pass'], String.raw`pass\/wordword\/pass!`, '[redacted]!'],
  ['one that begins another', ['pass/word', 'pass/word-1'], String.raw`pass\/word-1!`, '[redacted]!'],
  ['a piece at the beginning', [letters], 'q7Zk2mWx9Rt4 was cut', '[redacted] was cut'],
  ['eleven characters at the end are no piece', [letters], `cut ${letters.slice(5)}`, `cut ${letters.slice(5)}`],
  ['a piece of fifteen is none', [letters.slice(1)], `a ${letters.slice(2, 15)} b`, `a ${letters.slice(2, 15)} b`],
  ['a beginning at the end', [letters.slice(2)], `cut:${letters.slice(2, 15)}`, 'cut:[redacted]'],
  ['six characters that do not begin it', ['pass-word'], 'cut:ass-wo', 'cut:ass-wo'],
  ['three characters in a URL are none', ['a/b'], 'an a%2Fb', 'an a%2Fb'],
  ['the end of a text', ['pass/word'], String.raw`is pass\/word`, 'is [redacted]'],
])('secrets are hidden: %s', (_title, secrets, text, shown) => {
  expect(createRedactor(secrets)(text)).toBe(shown)
})

test.each(['12345678', '123456789', '1234567890'])('secrets are hidden in base64, to the digit: %s', (secret) => {
  for (const before of ['', ':', 'u:']) {
    for (const after of ['', '!', '?!', '...']) {
      const digits = btoa(before + secret + after)
      const [start, end] = [Math.ceil((before.length * 4) / 3), Math.floor(((before + secret).length * 4) / 3)]
      expect(createRedactor([secret])(`<${digits}>`)).toBe(`<${digits.slice(0, start)}[redacted]${digits.slice(end)}>`)
    }
  }
  expect(createRedactor(['1234567'])(btoa('1234567'))).toBe(btoa('1234567'))
})

const origin = { provider: 'toy', model: 'toy-1' }
const facts = { ...origin, code: 'server-error', providerMessage: `no ${key}`, excerpt: key, requestId: key } as const
const redacted = (given: object, cause?: unknown, secret = key): AdapterError =>
  redactError(Object.assign(new AdapterError({ ...facts, cause }), given), createRedactor([secret]))

test('of what was added to an error only that stays in which there is no secret', () => {
  const error = redacted({ sent: { key }, note: 'plain' })
  expect(error).toMatchObject({ ...origin, note: 'plain', requestId: '[redacted]', providerMessage: 'no [redacted]' })
  expect(error).not.toHaveProperty('sent')
  expect(error.stack).toMatch(/toy\/toy-1.*no \[redacted\][^]*\n +at /)
})

test('an error keeps its own facts, also where one of them is a key', () => {
  for (const secret of ['toy-1', 'server-error']) {
    const { code, model, provider, name } = redacted({}, undefined, secret)
    expect([code, model, provider, name]).toEqual(['server-error', 'toy-1', 'toy', 'AdapterError'])
  }
})

class Noted extends Error {}
Object.defineProperty(Noted.prototype, 'note', { value: key })
class Named extends Error {}
Object.defineProperty(Named.prototype, 'note', { value: 'plain' })
class Written extends Error {
  override toString(): string {
    return key
  }
}
class Valued extends Error {
  override valueOf(): string {
    return key
  }
}
const holding = (members: object): Error => Object.assign(new Error('failed'), members)
const objects = (length: number): readonly object[] => Array.from({ length }, () => ({}))

test.each<readonly [string, boolean, Error]>([
  ['symbols', true, holding({ [Symbol('plain')]: 1, kind: Symbol('plain') })],
  ['objects without a prototype', true, holding({ note: Object.assign(Object.create(null) as object, { a: 1 }) })],
  ['a thousand objects', true, holding({ list: objects(998) })],
  ['a thousand and one', false, holding({ list: objects(999) })],
  ['plain members of its class', true, new Named('failed')],
  ['a secret in a member of its class', false, new Noted('failed')],
  ['a text of its own', false, new Written('failed')],
  ['a value of its own', false, new Valued('failed')],
  ['members that nobody can list', false, new Proxy(new Error('failed'), { ownKeys: () => [key, key] })],
])('a cause with %s is kept as it is: %s', (_title, isKept, cause) => {
  const { cause: shown } = redacted({}, cause)
  expect(shown === cause).toBe(isKept)
  expect(shown).toMatchObject({ message: 'failed' })
})

test('a cause that holds a secret is copied with its name, its stack and its code, which can be written to as any', () => {
  const cause = Object.assign(new TypeError(key), { code: 42, stack: `at ${key}` })
  const { cause: copy } = redacted({}, cause)
  const plain = { configurable: true, writable: true, enumerable: false }
  expect(Object.getOwnPropertyDescriptors(Object(copy))).toEqual({
    message: { ...plain, value: '[redacted]' },
    name: { ...plain, value: 'TypeError' },
    stack: { ...plain, value: 'at [redacted]' },
    code: { ...plain, value: 42 },
  })
  expect(redacted({}, Object.assign(new Error(key), { code: { key } })).cause).not.toHaveProperty('code')
})

test('causes are followed to the tenth, and round in no circle', () => {
  let cause: unknown = key
  for (let depth = 12; depth >= 0; depth--) cause = new Error(`${depth} ${key}`, { cause })
  const { cause: copy } = redacted({}, cause)
  const texts: unknown[] = []
  for (let at: unknown = copy; at !== undefined; at = at instanceof Error ? at.cause : undefined)
    texts.push(at instanceof Error ? at.message : at)
  expect(texts).toEqual([...Array.from({ length: 11 }, (_, depth) => `${depth} [redacted]`), '11 [redacted]'])
  expect(Object.getOwnPropertyDescriptor(copy, 'cause')).toMatchObject({ configurable: true })
  const round = new Error(key)
  round.cause = round
  expect(redacted({}, round).cause).not.toHaveProperty('cause')
})

test('what a source of credentials threw keeps a text of 1000 characters, out of 10 000, and a short name and code', () => {
  expect(bareCause(new Error('. '.repeat(600))).message).toBe('. '.repeat(500))
  expect(bareCause(new Error(`token=${'x'.repeat(9992)} ABC`)).message).toBe('token=[redacted] A')
  const [name, code] = ['n'.repeat(99), 'c'.repeat(100)]
  const { name: kept, ...others } = Object.getOwnPropertyDescriptors(
    bareCause(Object.assign(new Error('a'), { name, code })),
  )
  expect(kept).toEqual({ value: name, configurable: true, writable: true, enumerable: false })
  expect(others).not.toHaveProperty('code')
})
