import { expect, test } from 'vitest'

import { mergeTypeMaps, typeMapOf, typesBeyond } from './type-map.ts'

const root = { root: 'json' }

test('a path names members, list entries and the type of an object', () => {
  const map = typeMapOf([{ id: 'a', list: [{ type: 'text', text: 'x' }, 1] }], root)
  expect(map).toEqual(
    new Map([
      ['json', new Set(['object'])],
      ['json.id', new Set(['string'])],
      ['json.list', new Set(['array'])],
      ['json.list[]<text>', new Set(['object'])],
      ['json.list[]<text>.type', new Set(['string'])],
      ['json.list[]<text>.text', new Set(['string'])],
      ['json.list[]', new Set(['number'])],
    ]),
  )
})

test('values of several samples are joined, also over maps', () => {
  const joined = mergeTypeMaps(typeMapOf([{ a: null }], root), typeMapOf([{ a: 1 }, { a: true }], root))
  expect(joined.get('json.a')).toEqual(new Set(['null', 'number', 'boolean']))
})

test('nothing below an open path is noted, but its own type is', () => {
  const map = typeMapOf([{ call: { input: { city: 'Bern' } } }], { ...root, open: ['.input'] })
  expect([...map.keys()]).toEqual(['json', 'json.call', 'json.call.input'])
})

test('a plain object makes no kind of its own by its type', () => {
  const map = typeMapOf([{ error: { type: 'tokens' } }, { error: { type: 'requests' } }], {
    ...root,
    plain: ['.error'],
  })
  expect([...map.keys()]).toEqual(['json', 'json.error', 'json.error.type'])
})

test('a new type and a new path are differences; a known subset is none', () => {
  const known = typeMapOf([{ a: 1, b: [] }], root)
  expect(typesBeyond(typeMapOf([{ a: 2 }], root), known)).toEqual([])
  expect(typesBeyond(typeMapOf([{ a: 'x' }], root), known)).toEqual([
    { path: 'json.a', type: 'string', known: ['number'] },
  ])
  expect(typesBeyond(typeMapOf([{ c: { d: 1 } }], root), known)).toEqual([
    { path: 'json.c', type: 'object', known: [] },
  ])
})

test('the type of an object is part of what is compared', () => {
  const known = typeMapOf([{ type: 'start', index: 0 }], root)
  expect(typesBeyond(typeMapOf([{ type: 'stop', index: 0 }], root), known)).toEqual([
    { path: 'json<stop>', type: 'object', known: [] },
  ])
})
