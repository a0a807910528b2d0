import { expect, test } from 'vitest'

import { obfuscation, pieces } from './pieces.ts'

test('the pieces joined are the text, none is empty, and no surrogate pair is cut', () => {
  for (const text of ['', 'a', '👩‍🚀🌦️', 'In Zürich 21 °C, in 東京 27 °C 👩‍🚀'.repeat(5)]) {
    expect(pieces(text).join('')).toBe(text)
    for (const piece of pieces(text)) expect(piece).toMatch(/^\P{Surrogate}+$/u)
  }
})

test('a text of a few words comes in several pieces', () => {
  expect(pieces('{"city":"Zürich"}').length).toBeGreaterThan(3)
})

test('padding is up to 15 letters and digits, and differs from event to event', () => {
  const paddings = Array.from({ length: 40 }, (_, ordinal) => obfuscation(ordinal))
  for (const padding of paddings) expect(padding).toMatch(/^[A-Za-z0-9]{0,15}$/)
  expect(new Set(paddings).size).toBeGreaterThan(20)
})
