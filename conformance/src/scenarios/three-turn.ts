import type { Scenario } from '../scenario.ts'
import { answer, call, say } from '../script-parts.ts'
import { stepCounts } from '../scenario-parts/step-counts.ts'

export const threeTurn: Scenario = {
  id: 'three-turn',
  title: 'One tool, then another, then the answer.',
  appliesTo: { requires: ['tools'] },
  script: [
    answer(call('lookup_order', { id: 'ZH-1001' })),
    answer(call('get_weather', { city: '東京' })),
    answer(say('Die Bestellung ZH-1001 geht nach 東京, dort sind es 7 °C 📦.')),
  ],
  golden: `
    run 1
      step 1 tool-calls
        call lookup_order {"id":"ZH-1001"} by loop
        result lookup_order json
      step 2 tool-calls
        call get_weather {"city":"東京"} by loop
        result get_weather json
      step 3 stop
        text
      completed answer
  `,
  async run({ run, tools }) {
    const { lookup_order, get_weather } = tools()
    await run('Wohin geht ZH-1001, und wie ist dort das Wetter? 🌦️', { tools: { lookup_order, get_weather } })
  },
  checks: [stepCounts(3)],
}
