import type { Check } from '../check.ts'
import type { Scenario } from '../scenario.ts'
import type { Subject } from '../subject.ts'
import { lineDiff } from './trace/line-diff.ts'
import { skeletonIn, printSkeleton } from './trace/print-skeleton.ts'
import { traceOf } from './trace/trace.ts'
import { withoutModelExtras } from './trace/without-model-extras.ts'

/** The skeleton of the trace against the golden one of the scenario, or of a declared quirk. */
export function goldenCheck(scenario: Scenario, subject: Subject): Check {
  const quirk = subject.quirks?.[scenario.id]
  return {
    id: 'golden',
    sentence: 'The skeleton of the trace is the golden one.',
    judge: ({ runs, mode, origin }) => {
      const shared = typeof scenario.golden === 'string' ? scenario.golden : scenario.golden[mode]
      const got = printSkeleton(traceOf(runs))
      const expected = chosen(skeletonIn(quirk?.golden ?? shared), got)
      if (got === expected) return []
      const isOfModel = origin === 'live' || origin === 'local'
      if (isOfModel && withoutModelExtras(got) === withoutModelExtras(expected)) return []
      const owner = quirk === undefined ? `the scenario \`${scenario.id}\`` : `the quirk of \`${subject.name}\``
      const culprit = subject.simulate === undefined ? 'the adapter' : 'the adapter, or the simulator'
      const fix = `Fix ${culprit}; where ${owner} is wrong, change its golden; where the provider really differs, declare a quirk with its reason, and where it has no words for this, say so in \`noWordsFor\`.`
      return [
        {
          message: `the trace differs from the golden skeleton of ${owner} (- expected, + got):\n${lineDiff(expected, got)}\n${fix}`,
        },
      ]
    },
  }
}

/** A line of kinds, `reasoning|opaque`, stands for any one of them, and `text?` for one that is there or not. */
function chosen(expected: string, got: string): string {
  const lines = got.split('\n')
  let at = 0
  return expected
    .split('\n')
    .flatMap((line) => {
      const own = lines[at] ?? ''
      const [, kinds = '', isOptional] = /^ *([a-z-]+(?:\|[a-z-]+)*)(\?)?$/.exec(line) ?? []
      const isOne = kinds !== '' && kinds.split('|').includes(own.trim())
      if (isOptional !== undefined && !isOne) return []
      at++
      return isOne ? own : line
    })
    .join('\n')
}
