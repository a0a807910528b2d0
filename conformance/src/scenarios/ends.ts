import { retryEmpty } from '@steploop/core/policies'
import { unless, type Check } from '../check.ts'
import { asks } from '../scenario-parts/asks.ts'
import { counters } from '../scenario-parts/run-counters.ts'
import type { Scenario } from '../scenario.ts'
import { answer, call, say } from '../script-parts.ts'

const emptyAnswer: Scenario = {
  id: 'empty-answer',
  title: 'Neither text nor calls: the run ends; with the policy it is asked once more, never after tools ran.',
  appliesTo: {
    requires: ['tools'],
    stressors: {
      'hand-over':
        'An empty answer leaves nothing between results and the next question, which Mistral’s order of roles refuses.',
      resume: 'The policy looks at the steps of its run, and a run that is resumed has none.',
    },
  },
  script: [
    answer(),
    answer(),
    answer(say('Grüezi aus Zürich und 東京 👋')),
    answer(call('get_weather', { city: 'Zürich' })),
    answer(),
  ],
  golden: `
    run 1
      step 1 stop
      completed answer
    run 2
      step 1 stop
      step 2 stop: text
      completed answer
    run 3
      step 1 tool-calls: call get_weather {"city":"Zürich"} by loop + result get_weather json
      step 2 stop
      completed answer
  `,
  async run({ run, tools }) {
    const { get_weather } = tools()
    const policies = [retryEmpty()]
    await run('Sag etwas zu Zürich 🏔️', { tools: { get_weather } })
    await run('Sag etwas zu Zürich 🏔️', { tools: { get_weather }, policies })
    await run('Wetter in Zürich?', { tools: { get_weather }, policies })
  },
  checks: [counters({ requests: 1, executions: 0 }, { requests: 2, executions: 0 }, { requests: 2, executions: 1 })],
}

// With blanks at both ends, and a letter that is written as two signs.
const text = '  In Zu\u0308rich sind es 7 °C, und in 東京 🗼\n '

const lengthLimit: Scenario = {
  id: 'length-limit',
  title: 'An answer that the token limit cuts is kept, and named for what it is.',
  script: [{ ...answer(say(text)), finish: 'length' }],
  golden: `
    step 1 length: text
    completed length
  `,
  run: asks('Wetter in Zürich und 東京?', [], { maxOutputTokens: 32 }),
  checks: [
    counters({ requests: 1, executions: 0 }),
    {
      id: 'text-kept',
      isOfScript: true,
      sentence: 'The text up to the limit is there.',
      judge: ({ runs }) =>
        unless(runs[0]?.result?.text === text, `the text is ${JSON.stringify(runs[0]?.result?.text)}`, 'run 1'),
    },
  ],
}

const rawReasonKept: Check = {
  id: 'raw-reason-kept',
  sentence: 'The provider’s own word for it is kept.',
  judge: ({ runs }) => {
    const raw = runs[0]?.result?.steps[0]?.rawFinishReason ?? ''
    return unless(raw !== '', 'the raw finish reason is lost', 'run 1, step 1')
  },
}

function filtered(finish: 'content-filter' | 'guardrail', title: string, said: string): Scenario {
  return {
    id: finish,
    title,
    script: [{ ...answer(say(said)), finish }],
    golden: `
      step 1 content-filter: text
      completed content-filter
    `,
    run: asks('Etwas Verbotenes über 東京?'),
    checks: [counters({ requests: 1, executions: 0 }), rawReasonKept],
  }
}

const contentFilter = filtered(
  'content-filter',
  'A filter stops the answer: an outcome with a name, not an empty success.',
  'Zuerst nehmen Sie in Zürich 🚫',
)

const guardrail = filtered(
  'guardrail',
  'Something outside of the model stops the answer, in a word of its own: an outcome with the same name.',
  'Zuerst nehmen Sie in 東京 🚧',
)

const unheardOfEnd: Scenario = {
  id: 'unheard-of-end',
  title:
    'The answer ends for a reason that nobody knows yet: `unknown`, with the provider’s own word, and nothing is lost.',
  script: [{ ...answer(say('Bis hierher und nicht weiter, Zürich wie 東京 🧱.')), finish: 'unheard-of' }],
  golden: `
    step 1 unknown: text
    completed answer
  `,
  run: asks('Wie weit geht es in Zürich und 東京?'),
  checks: [counters({ requests: 1, executions: 0 }), rawReasonKept],
}

export const endsScenarios: readonly Scenario[] = [emptyAnswer, lengthLimit, contentFilter, guardrail, unheardOfEnd]
