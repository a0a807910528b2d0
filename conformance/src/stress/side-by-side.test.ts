import { expect, test } from 'vitest'
import { compareOutcomes } from './side-by-side.ts'

const numbered = (count: number, wrong?: number) =>
  Array.from({ length: count }, (_, index) => ({ type: 'text-delta', text: index === wrong ? '\uFFFD' : 'ü' }))

const sideBySide = (left: { title: string; events: object[] }, right: { title: string; events: object[] }) =>
  compareOutcomes({ ...left, error: undefined, message: undefined }, { ...right, error: undefined, message: undefined })

test('equal lists have nothing to show', () => {
  expect(sideBySide({ title: 'a', events: numbered(3) }, { title: 'b', events: numbered(3) })).toBe('')
})

test('the first difference is marked, with two events before it and three after it', () => {
  const text = sideBySide({ title: 'whole', events: numbered(20) }, { title: 'cut', events: numbered(20, 9) })
  const lines = text.split('\n')
  expect(lines[0]).toMatch(/^ {7}whole +\| cut$/)
  expect(lines.map((line) => line.slice(0, 6))).toEqual([
    '      ',
    '     8',
    '     9',
    '>   10',
    '    11',
    '    12',
    '    13',
    '      ',
  ])
  expect(lines[3]).toMatch(/"ü"} +\| .*\uFFFD/)
  expect(lines.at(-1)).toBe('       … 7 more')
})

test('where one list ends earlier the other side has nothing', () => {
  const text = sideBySide({ title: 'whole', events: numbered(2) }, { title: 'cut', events: numbered(1) })
  expect(text).toMatch(/^> {4}2 .*\| \(nothing\)$/m)
})

test('a difference far inside a long event is shown, with the type of the event', () => {
  const long = (end: string) => ({ title: end, events: [{ type: 'tool-call', input: `${'x'.repeat(500)}${end}` }] })
  const marked = sideBySide(long('left'), long('right')).split('\n')[1] ?? ''
  expect(marked).toContain('left')
  expect(marked).toContain('right')
  expect(marked.split('tool-call')).toHaveLength(3)
  expect(marked.length).toBeLessThan(140)
})

test('what only one of them throws is reported with its code', () => {
  const ended = { title: 'whole', events: [], error: undefined, message: undefined }
  const failed = { title: 'cut', events: [], error: 'incomplete-stream', message: 'it ended' }
  expect(compareOutcomes(ended, failed)).toBe("cut throws 'incomplete-stream' (it ended); whole throws nothing")
  expect(compareOutcomes(failed, { ...failed, title: 'again' })).toBe('')
})
