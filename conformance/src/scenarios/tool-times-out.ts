import { unless } from '../check.ts'
import type { Scenario } from '../scenario.ts'
import { counters, everyCallAnswered } from '../scenario-parts/run-counters.ts'
import { answer, call, say } from '../script-parts.ts'

const limit = 20_000
const late = 'zu spät aus 東京 🐌'

export const toolTimesOut: Scenario = {
  id: 'tool-times-out',
  title:
    'A tool that ignores its signal: answered at its limit, the run goes on, and what it returns later is dropped.',
  appliesTo: {
    requires: ['tools', 'parallel'],
    stressors: { order: 'The clock moves while both calls run, so the order decides which of them is in time.' },
  },
  script: [
    answer(call('get_weather', { city: 'Zürich' }), call('get_time', { tz: 'Asia/Tokyo' })),
    answer(say('Zürich hat 7 °C ☀️; die Uhr in 東京 antwortet nicht.')),
  ],
  golden: `
    run 1
      step 1 tool-calls
        call get_weather {"city":"Zürich"} by loop
        call get_time {"tz":"Asia/Tokyo"} by loop
        result get_weather json
        result get_time error tool-timeout
      step 2 stop
        text
      completed answer
  `,
  async run({ run, tools, clock: staged }) {
    const clock = staged()
    const { get_weather, get_time } = tools()
    const slow: typeof get_time = {
      ...get_time,
      async execute(input, context) {
        await get_time.execute?.(input, context)
        await new Promise((resolve) => setImmediate(resolve))
        clock.elapse(limit)
        // By now the loop has its answer.
        await new Promise((resolve) => setImmediate(resolve))
        return late
      },
    }
    await run('Wetter in Zürich und Zeit in 東京?', {
      tools: { get_weather, get_time: slow },
      toolTimeout: limit,
      clock,
    })
  },
  checks: [
    counters({ requests: 2, executions: 2 }),
    everyCallAnswered,
    {
      id: 'late-result-dropped',
      sentence: 'What a tool returns after its time is in no message and no request.',
      judge: ({ runs }) => {
        const told = JSON.stringify([runs[0]?.result?.messages, runs[0]?.requests.map(({ text }) => text)])
        return unless(!told.includes('zu spät aus'), 'the late result is part of the conversation', 'run 1')
      },
    },
  ],
}
