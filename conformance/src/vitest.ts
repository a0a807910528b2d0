import { describe, expect, test } from 'vitest'
import { caseAddress } from './check.ts'
import type { CaseReport } from './report-schema.ts'
import { isUnexpected } from './verdict.ts'
import { existsFor } from './run/case-exists.ts'
import type { MakeWholeLoop } from './loop.ts'
import { loopTests } from './loop-tests/index.ts'
import { runConformance } from './run/run-conformance.ts'
import type { Scenario } from './scenario.ts'
import { scenarios as allScenarios } from './scenarios/index.ts'
import type { Subject } from './subject.ts'
import type { ConformanceOptions } from './run/conformance-options.ts'

/** Milliseconds per case with all its stressors; a run that never settles is ended long before. */
const timeout = 120_000

export type { MakeWholeLoop, WholeLoop } from './loop.ts'

export type DescribeOptions = Omit<ConformanceOptions, 'only' | 'scenario' | 'mode' | 'onProgress'>

/**
 * Declares one test per scenario and mode of the subject. A case that does not apply is skipped with its reason; a failing one throws what
 * the report says.
 */
export function describeConformance(subject: Subject, options: DescribeOptions = {}): void {
  describe(`conformance of ${subject.name}`, () => {
    const exists = (scenario: Scenario): boolean =>
      existsFor(scenario, subject, 'generate') || existsFor(scenario, subject, 'stream')
    for (const scenario of (options.scenarios ?? allScenarios).filter(exists)) {
      describe(`${scenario.id}: ${scenario.title}`, () => {
        for (const mode of (['generate', 'stream'] as const).filter((one) => existsFor(scenario, subject, one))) {
          test(`in ${mode} mode`, { timeout }, async (context) => {
            const report = await runConformance([subject], { ...options, scenario: [scenario.id], mode })
            const one = report.cases.find(({ address }) => address === caseAddress(subject.name, scenario.id, mode))
            if (one?.verdict === 'not-applicable') context.skip(one.reason)
            expect(one === undefined ? 'the case did not run' : unexpected(one)).toBe('')
            expect(report.problems).toEqual([])
          })
        }
      })
    }
  })
}

/**
 * Declares the tests of a loop that is driven as `StepLoop` is: options and limits, approvals and resuming, hooks, middleware and policies,
 * streams, structured answers. Its models are scripted: nothing is asked over the network, and no cassette is needed. Some tests have tags
 * of this repository's `docs/behaviours.md`: set `test.strictTags` of Vitest's config to `false`, or declare them.
 */
export function describeLoop(makeLoop: MakeWholeLoop): void {
  for (const [about, declare] of Object.entries(loopTests)) {
    describe(`a loop: ${about}`, () => {
      declare(makeLoop)
    })
  }
}

/** All that is unexpected in a case, as one text; `''` when nothing is. */
function unexpected({ checks, repeat }: CaseReport): string {
  const red = checks.filter(({ verdict }) => isUnexpected(verdict))
  const lines = red.flatMap(({ address, failures }) =>
    failures.map(({ message, where }) => `${address}: ${where === undefined ? '' : `${where}: `}${message}`),
  )
  return lines.length === 0 ? '' : [...lines, `repeat: ${repeat}`].join('\n')
}
