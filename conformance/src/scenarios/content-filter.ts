import { unless } from '../check.ts'
import type { Scenario } from '../scenario.ts'
import { answer, say } from '../script-parts.ts'
import { counters } from '../scenario-parts/run-counters.ts'

function filtered(
  finish: 'content-filter' | 'guardrail',
  facts: Pick<Scenario, 'title'> & { readonly said: string },
): Scenario {
  const { said, ...rest } = facts
  return {
    id: finish,
    ...rest,
    script: [{ ...answer(say(said)), finish }],
    golden: `
      run 1
        step 1 content-filter
          text
        completed content-filter
    `,
    async run({ run }) {
      await run('Etwas Verbotenes über 東京?')
    },
    checks: [
      counters({ requests: 1, executions: 0 }),
      {
        id: 'raw-reason-kept',
        sentence: 'The provider’s own word for it is kept.',
        judge: ({ runs }) => {
          const raw = runs[0]?.result?.steps[0]?.rawFinishReason ?? ''
          return unless(raw !== '', 'the raw finish reason is lost', 'run 1, step 1')
        },
      },
    ],
  }
}

export const contentFilter = filtered('content-filter', {
  title: 'A filter stops the answer: an outcome with a name, not an empty success.',
  said: 'Zuerst nehmen Sie in Zürich 🚫',
})

export const guardrail = filtered('guardrail', {
  title: 'Something outside of the model stops the answer, in a word of its own: an outcome with the same name.',
  said: 'Zuerst nehmen Sie in 東京 🚧',
})
