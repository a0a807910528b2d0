import { unless } from '../check.ts'
import type { ScriptedAnswer } from '../script.ts'
import type { Scenario } from '../scenario.ts'
import { counters, countsAnew, everyCallAnswered, finalizesWithoutTools } from '../scenario-parts/run-counters.ts'
import { answer, call, say } from '../script-parts.ts'

const budget = 400

/** 120 tokens per turn: after two of them there is room for one more, but not for two. */
const metered = (turn: ScriptedAnswer): ScriptedAnswer => ({ ...turn, usage: { inputTokens: 100, outputTokens: 20 } })

export const tokenBudget: Scenario = {
  id: 'token-budget',
  title: 'Tokens are reserved ahead: the turn that may be the last one answers, and the budget holds.',
  appliesTo: { requires: ['tools'], stressors: { resume: countsAnew } },
  onlySimulated: 'a real provider does not count given tokens on demand',
  script: [
    metered(answer(call('get_weather', { city: 'Zürich' }))),
    metered(answer(call('get_weather', { city: '東京' }))),
    metered(answer(say('In Zürich und 東京 sind es 7 °C 🪙.'))),
  ],
  golden: `
    run 1
      step 1 tool-calls
        call get_weather {"city":"Zürich"} by loop
        result get_weather json
      step 2 tool-calls
        call get_weather {"city":"東京"} by loop
        result get_weather json
      step 3 stop
        text
      completed token-budget
  `,
  async run({ run, tools }) {
    const { get_weather } = tools()
    await run('Wetter in Zürich, 東京 und São Paulo?', { tools: { get_weather }, maxTokens: budget })
  },
  checks: [
    counters({ requests: 3, executions: 2 }),
    finalizesWithoutTools,
    everyCallAnswered,
    {
      id: 'within-budget',
      sentence: 'The run takes no more tokens than it may, and counts all that the turns report.',
      judge: ({ runs }) => {
        const { inputTokens = 0, outputTokens = 0 } = runs[0]?.result?.usage ?? {}
        const total = inputTokens + outputTokens
        return [
          ...unless(total <= budget, `${total} tokens were taken; the budget is ${budget}`, 'run 1'),
          ...unless(total === 360, `${total} tokens were counted; three turns of 120 make 360`, 'run 1'),
        ]
      },
    },
  ],
}
