import { expect, test } from 'vitest'
import { createNotes, hasRoom, makeRoom } from './notes.ts'

test('a note lies in its object and is seen by nobody but its keeper', () => {
  const notes = createNotes<object, string>()
  const strangers = createNotes<object, string>()
  const object = makeRoom({ text: 'hi' })
  notes.set(object, 'mine')
  expect(notes.get(object)).toBe('mine')
  expect(strangers.get(object)).toBeUndefined()
  expect(Reflect.ownKeys(object)).toEqual(['text'])
  expect(hasRoom({ ...object })).toBe(false)
  expect(hasRoom(structuredClone(object))).toBe(false)
})

test('two keepers of the same object keep their notes apart, whoever was first', () => {
  const [one, other] = [createNotes<object, string>(), createNotes<object, string>()]
  const object = makeRoom({})
  one.set(object, 'first')
  other.set(object, 'second')
  one.set(object, 'first again')
  expect([one.get(object), other.get(object)]).toEqual(['first again', 'second'])
})

test('an object that was frozen before, or never got room, keeps its note all the same', () => {
  const notes = createNotes<object, string>()
  const frozen = makeRoom(Object.freeze({}))
  expect(hasRoom(frozen)).toBe(false)
  for (const object of [frozen, {}]) {
    notes.set(object, 'note')
    expect(notes.get(object)).toBe('note')
  }
})

test('room that was made before an object was frozen stays', () => {
  const notes = createNotes<object, string>()
  const object = Object.freeze(makeRoom({}))
  notes.set(object, 'note')
  expect(notes.get(object)).toBe('note')
  expect(makeRoom(object)).toBe(object)
})
