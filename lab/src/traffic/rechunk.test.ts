import { expect, it } from 'vitest'
import { chunkings } from './rechunk.ts'

const text = 'data: Zürich\r\n\r\ndata: 東京 🌦\n\n'
const bytes = new TextEncoder().encode(text)

function lengths(name: string, of = bytes): readonly number[] {
  const chunking = chunkings(of).find((candidate) => candidate.name.startsWith(name))
  return [...(chunking?.chunks ?? [])].map((chunk) => chunk.length)
}

it('every chunking holds all bytes in order', () => {
  for (const { chunks } of chunkings(bytes)) {
    expect(new TextDecoder().decode(Uint8Array.from([...chunks].flatMap((chunk) => [...chunk])))).toBe(text)
  }
})

it('there are five: one byte each, the delicate places, and three seeds', () => {
  expect(chunkings(bytes)).toHaveLength(5)
  expect(lengths('one byte').every((length) => length === 1)).toBe(true)
})

it('the delicate places are inside characters, between CR and LF, and between line ends', () => {
  // "data: Z" and the first byte of ü; the second byte and "rich" CR; then LF and CR; LF and "data: " and the first of 東 ...
  expect(lengths('inside').slice(0, 3)).toEqual([8, 6, 2])
  expect(lengths('inside').at(-1)).toBe(1)
})

it('there are no delicate places in plain text', () => {
  expect(chunkings(new TextEncoder().encode('plain')).map(({ name }) => name)).toHaveLength(4)
})

it('a seed gives the same cuts every time, another seed others', () => {
  const long = new Uint8Array(5000)
  expect(lengths('random cuts, seed 1', long)).toEqual(lengths('random cuts, seed 1', long))
  expect(lengths('random cuts, seed 1', long)).not.toEqual(lengths('random cuts, seed 2', long))
  expect(Math.max(...lengths('random cuts, seed 3', long))).toBeLessThanOrEqual(200)
})
