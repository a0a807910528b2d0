import { unless } from '../check.ts'
import { asks } from '../scenario-parts/asks.ts'
import { counters, countsAnew, everyCallAnswered, finalizesWithoutTools } from '../scenario-parts/run-counters.ts'
import type { Scenario } from '../scenario.ts'
import { answer, call, say } from '../script-parts.ts'
import type { ScriptedAnswer } from '../script.ts'

const budget = 400

/** 120 tokens per turn: after two of them there is room for one more, but not for two. */
const metered = (turn: ScriptedAnswer): ScriptedAnswer => ({ ...turn, usage: { inputTokens: 100, outputTokens: 20 } })

const tokenBudget: Scenario = {
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
    step 1 tool-calls: call get_weather {"city":"Zürich"} by loop + result get_weather json
    step 2 tool-calls: call get_weather {"city":"東京"} by loop + result get_weather json
    step 3 stop: text
    completed token-budget
  `,
  run: asks('Wetter in Zürich, 東京 und São Paulo?', ['get_weather'], { maxTokens: budget }),
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

const limit = 60_000

const totalTimeout: Scenario = {
  id: 'total-timeout',
  title: 'The time of the run is over while a tool hangs: the run ends at once, and can be continued.',
  appliesTo: { requires: ['tools'], stressors: { resume: countsAnew } },
  script: [
    answer(call('get_weather', { city: 'Zürich' })),
    answer(call('get_time', { tz: 'Asia/Tokyo' })),
    answer(say('Die Uhr in 東京 hat nicht geantwortet ⏳.')),
  ],
  golden: `
    run 1
      step 1 tool-calls: call get_weather {"city":"Zürich"} by loop + result get_weather json
      incomplete timeout
    run 2
      step 1 stop: text
      completed answer
  `,
  async run({ run, tools, clock: staged }) {
    const clock = staged()
    const { get_weather, get_time } = tools()
    const hanging = {
      ...get_time,
      execute() {
        clock.elapse(limit)
        return new Promise<never>(() => undefined)
      },
    }
    const options = { tools: { get_weather, get_time: hanging }, timeout: limit, toolTimeout: 0, clock }
    const first = await run('Wetter in Zürich, dann Zeit in 東京?', options)
    const transcript = first.result?.transcript
    if (transcript !== undefined) await run({ transcript, prompt: 'Und ohne die Uhr? ⏰' }, options)
  },
  checks: [counters({ requests: 2, executions: 1 }, { requests: 1, executions: 0 }), everyCallAnswered],
}

export const budgetsScenarios: readonly Scenario[] = [tokenBudget, totalTimeout]
