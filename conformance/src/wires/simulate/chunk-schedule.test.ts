import { expect, test } from 'vitest'

import { chunkSchedule } from './chunk-schedule.ts'

const bytesOf = (text: string) => new TextEncoder().encode(text)

test('the chunks joined are the body, and none is empty', () => {
  for (const text of ['', 'a', '東', 'x'.repeat(10_000), 'Zürich 東京 🌦️ '.repeat(200)]) {
    const chunks = chunkSchedule(bytesOf(text))
    expect(Buffer.concat(chunks).toString()).toBe(text)
    expect(chunks.every((chunk) => chunk.length > 0)).toBe(true)
  }
})

test('a character of several bytes is cut in every body that has one', () => {
  const [first] = chunkSchedule(bytesOf('ab東京'))
  expect(first).toEqual(bytesOf('ab東').subarray(0, 3))
})

test('equal bytes are cut alike', () => {
  const sizes = () => chunkSchedule(bytesOf('Zürich '.repeat(500))).map((chunk) => chunk.length)
  expect(sizes()).toEqual(sizes())
  expect(new Set(sizes()).size).toBeGreaterThan(3)
})
