import { expect, test } from 'vitest'
import { addToHash, emptyHash, legalName, spellHash, textHash } from './legal-name.ts'

const rule = { legal: /^[a-zA-Z0-9_-]{1,20}$/, maxLength: 20 }

test('a legal name is kept', () => {
  expect(legalName('get_weather-2', rule)).toBe('get_weather-2')
})

test('a name that is not legal is cleaned, cut and kept apart by a hash', { tags: ['E19'] }, () => {
  const names = ['get weather', 'get.weather', 'x'.repeat(40), `${'x'.repeat(40)}y`, '天気', ''].map((name) =>
    legalName(name, rule),
  )
  expect(names.every((name) => rule.legal.test(name))).toBe(true)
  expect(new Set(names).size).toBe(names.length)
  expect(names[0]).toMatch(/^get_weather_/)
})

test('where digits are illegal, the hash has none', () => {
  const letters = { legal: /^[a-z_]{1,20}$/, maxLength: 20, illegal: /[^a-z_]/g }
  const names = Array.from({ length: 50 }, (_, index) => legalName(`tool ${index}`, letters))
  expect(names.filter((name) => !letters.legal.test(name))).toEqual([])
  expect(new Set(names).size).toBe(names.length)
  // Two texts whose hashes differ in digits alone.
  expect(legalName('tool 100802', letters)).not.toBe(legalName('tool 101019', letters))
})

test('the same text always gives the same', () => {
  expect(legalName('a b', rule)).toBe(legalName('a b', rule))
  expect(textHash('a')).toHaveLength(7)
  expect(textHash('a')).not.toBe(textHash('b'))
})

test('a hash that goes on with another text is that of both together', () => {
  const [name, text] = ['get_weather ', '{"city":"Bern"}']
  expect(spellHash(addToHash(addToHash(emptyHash, name), text))).toBe(textHash(name + text))
})

test('a hash is that of FNV-1a in base 36, whose digits are all legal', () => {
  const hashOf = (text: string): string => {
    const steps = Array.from(text, (letter) => BigInt(letter.charCodeAt(0)))
    const hash = steps.reduce((value, unit) => ((value ^ unit) * 0x01000193n) & 0xffff_ffffn, 0x811c9dc5n)
    return hash.toString(36).padStart(7, '0')
  }
  const texts = Array.from({ length: 100 }, (_, index) => `é ${index}`)
  expect(texts.map((text) => textHash(text))).toEqual(texts.map(hashOf))
})
