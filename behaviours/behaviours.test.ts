import { describe, expect, test } from 'vitest'
import { held, listed } from './behaviour.ts'
import { catalogue } from './catalogue.ts'
import { judge, testsOf } from './judge.ts'
import { findNamedTests, namedTestsIn } from './named-tests.ts'
import { patchProblem } from './prove.ts'
import { renderJudgement, renderProof, renderProofs } from './render.ts'

const one = held('L91', 'One.', 'a.ts', 'a', 'b')
/** Source of a test; made here, so that this file names no behaviour itself. */
function testOf(title: string, begin = 'test('): string {
  return `${begin}'${title}', () => {`
}

const other = listed('L92', 'Other.', 'Not wanted.')

describe('the catalogue', () => {
  test('has a test or a reason for every behaviour, and no test names another', () => {
    expect(judge(catalogue, findNamedTests()).problems).toEqual([])
  })

  test('switches off a text that stands once in its file', () => {
    const problems = catalogue.flatMap((behaviour) =>
      behaviour.type === 'held' ? (patchProblem(behaviour.switchedOff) ?? []) : [],
    )
    expect(problems).toEqual([])
  })
})

describe('the judgement', () => {
  test('refuses a behaviour with neither test nor reason, one with both, unknown ids and ids that stand twice', () => {
    const tests = namedTestsIn('x.test.ts', testOf('L92, L93: is so'))
    const { problems } = judge([one, other, other], tests)
    expect(problems).toEqual([
      'L92: stands twice in the catalogue',
      'L91: no test names it',
      "L92: is listed with a reason, but 'L92, L93: is so' tests it",
      "L92: is listed with a reason, but 'L92, L93: is so' tests it",
      "L93: 'L92, L93: is so' in x.test.ts names an id that the catalogue does not have",
    ])
  })

  test('of a selection looks at its own ids only', () => {
    const tests = namedTestsIn('x.test.ts', `${testOf('L91, L93: is so')}\n${testOf('L94: is otherwise')}`)
    const { entries, problems } = judge([one], testsOf([one], tests))
    expect([entries[0]?.tests.length, problems]).toEqual([1, []])
  })

  test('finds ids at the beginning of titles only, in tables and broken lines too', () => {
    const text = [
      testOf('L91: plain'),
      testOf('L92, L93: of %i', '  test.each([1, 2])('),
      testOf('L94: isn’t on the same line', '  test(\n    '),
      testOf('the id L95: is no beginning'),
      testOf('L96: is no test', 'note('),
    ].join('\n')
    expect(namedTestsIn('x.test.ts', text).map(({ ids }) => ids)).toEqual([['L91'], ['L92', 'L93'], ['L94']])
  })

  test('is printed with tests, reasons and problems', () => {
    const tests = namedTestsIn('x.test.ts', testOf('L91: is so'))
    const text = renderJudgement(judge([one, other], tests))
    expect(text).toContain('L91  One.\n     x.test.ts: L91: is so')
    expect(text).toContain('L92  Other.\n     not tested: Not wanted.')
    expect(text).toContain('2 behaviours: 1 tested, 1 listed with a reason.')
    expect(text).not.toContain('problem:')
  })
})

describe('a proof', () => {
  test('is printed with what was switched off and which test noticed it', () => {
    const { id, switchedOff } = one
    expect(renderProof({ id, switchedOff, red: ['L91: is so'] })).toBe(
      'L91  proven\n     a.ts: a  =>  b\n     red: L91: is so',
    )
    const open = { id, switchedOff, red: [], problem: 'its tests stay green' }
    expect(renderProof(open)).toContain('NOT PROVEN')
    expect(renderProofs([open])).toContain('0 of 1 behaviours are proven.\n\nproblem: L91: its tests stay green')
  })

  test('needs a text that stands once in its file', () => {
    const file = 'behaviours/behaviour.ts'
    expect(patchProblem({ file, find: 'export type Behaviour =', replace: '' })).toBeUndefined()
    expect(patchProblem({ file, find: 'readonly', replace: '' })).toMatch(/times, not once/)
    expect(patchProblem({ file, find: 'nowhere to be found', replace: '' })).toMatch(/0 times/)
  })
})
