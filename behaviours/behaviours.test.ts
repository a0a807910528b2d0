import { expect, test } from 'vitest'
import { loadParser } from 'steploop/mutations'
import { behaviours, behavioursIn, findTaggedTests, problemsOf, taggedTestsIn } from './catalogue.ts'
import { mutantsOf, prove, type Proof } from './prove.ts'

const [one, other] = behavioursIn(
  '- **L91** One. [a.b](../x.ts)\n- **L92** Other. Not tested: Not wanted.\n- **L93** Nobody decides.',
)

/** Source of a tagged test; made here, so that this file has no such tag itself. */
function testOf(title: string, tags: string, begin = 'test(', more = ''): string {
  return `${begin}'${title}', { ${more}tags: [${tags}] }, () => {`
}

test('every behaviour has a test or a reason, and something that can be changed decides about it', async () => {
  expect(problemsOf(behaviours, findTaggedTests())).toEqual([])
  expect(behaviours.length).toBeGreaterThan(130)
  const parser = await loadParser()
  const decided = behaviours.filter(({ reason }) => reason === undefined)
  expect(decided.filter((behaviour) => mutantsOf(behaviour, parser).length === 0)).toEqual([])
})

test('a line of the page says who decides or why nobody does', () => {
  expect([one, other]).toEqual([
    { id: 'L91', behaviour: 'One.', decided: { by: 'a.b', file: 'x.ts' } },
    { id: 'L92', behaviour: 'Other.', reason: 'Not wanted.' },
  ])
})

test('a behaviour with neither test nor reason, one with both, and an id that stands twice are problems', () => {
  const tests = taggedTestsIn('x.test.ts', testOf('is so', "'L92', 'L94'"))
  expect(problemsOf([one!, other!, other!], tests)).toEqual([
    'L91: no test has it as a tag',
    "L92: has a reason not to be tested, and 'is so'",
    'L92: stands twice in docs/behaviours.md',
    "L92: has a reason not to be tested, and 'is so'",
  ])
})

test('tags are found in tables, broken lines and beside other options', () => {
  const text = [
    testOf('plain', "'L91'"),
    testOf('of %i', "'L91', 'L92'", '  test.each([1, 2])('),
    testOf('isn’t on the same line', "'L91'", '  test(\n    '),
    testOf('slow', "'L91'", 'test(', 'timeout: 9, '),
    `test('without', { timeout: 9 }, () => {`,
  ].join('\n')
  expect(taggedTestsIn('x.test.ts', text).map(({ title, tags }) => [title, ...tags])).toEqual([
    ['plain', 'L91'],
    ['of %i', 'L91', 'L92'],
    ['isn’t on the same line', 'L91'],
    ['slow', 'L91'],
  ])
})

test('what decides about a behaviour has to be one thing', async () => {
  const parser = await loadParser()
  const decidedBy = (by: string) =>
    mutantsOf(
      { id: 'L91', behaviour: 'One.', decided: { by, file: 'packages/core/src/options/run-config.ts' } },
      parser,
    )
  expect(decidedBy('resolveConfig').length).toBeGreaterThan(decidedBy('resolveConfig.maxSteps').length)
  expect(() => decidedBy('nowhere')).toThrow(/no single `nowhere`/)
  expect(() => decidedBy('resolveConfig.nowhere')).toThrow(RangeError)
})

test(
  'a proof is a mutant that turns a test of the id red; who notices none proves nothing',
  { timeout: 120_000 },
  async () => {
    const decided = (by: string, file: string) => ({ id: 'D20', behaviour: '', decided: { by, file } })
    const proofs: Proof[] = []
    await prove({
      behaviours: [
        decided('stopTools', 'packages/core/src/calls/running-tools.ts'),
        decided('abortedOutput', 'packages/core/src/calls/call-answers.ts'),
      ],
      tests: findTaggedTests(),
      onProof: (proof) => proofs.push(proof),
    })
    expect(proofs).toMatchObject([
      { red: ['tools that are given up learn why, and leave no timer'] },
      { red: [], problem: 'its tests notice no mutant' },
    ])
    const untested = await prove({ behaviours: [decided('a', 'b')], tests: [], onProof: () => undefined })
    expect(untested).toMatchObject([{ problem: 'no test that has it as a tag ran' }])
  },
)
