import { unless } from '../check.ts'
import type { Scenario } from '../scenario.ts'
import { counters, everyCallAnswered } from '../scenario-parts/run-counters.ts'
import { answer, call, say } from '../script-parts.ts'

export const invalidArguments: Scenario = {
  id: 'invalid-arguments',
  title: 'Arguments that the schema refuses: the tool does not run, the model is told why, and corrects itself.',
  appliesTo: { requires: ['tools'] },
  script: [
    answer(call('get_weather', { city: 8001 })),
    answer(call('get_weather', { city: 'Zürich' })),
    answer(say('In Zürich sind es 7 °C ☀️.')),
  ],
  golden: `
    run 1
      step 1 tool-calls
        call get_weather {"city":8001} by loop
        result get_weather error invalid-input
      step 2 tool-calls
        call get_weather {"city":"Zürich"} by loop
        result get_weather json
      step 3 stop
        text
      completed answer
  `,
  async run({ run, tools }) {
    const { get_weather } = tools()
    await run('Wetter in 8001 Zürich? 🇨🇭', { tools: { get_weather } })
  },
  checks: [
    counters({ requests: 3, executions: 1 }),
    everyCallAnswered,
    {
      id: 'says-path-and-reason',
      sentence: 'The model is told which argument is wrong, and why.',
      judge: ({ runs }) => {
        const items = runs[0]?.requests[1]?.view?.items
        const texts = items?.flatMap((item) => (item.type === 'result' ? [item.text] : [])) ?? []
        const told = texts.some((text) => text.includes('city') && text.includes('expected a text, got number'))
        return unless(items === undefined || told, `the model is told ${texts.join(' and ')}`, 'run 1, request 2')
      },
    },
  ],
}
