import type { Check } from '../check.ts'
import type { Scenario } from '../scenario.ts'
import { answer, call, say } from '../script-parts.ts'
import { stepCounts } from '../scenario-parts/step-counts.ts'

const instructions = 'Prüfe gründlich, antworte auf Deutsch 🇨🇭.'

const eachOnce: Check = {
  id: 'each-once',
  sentence: 'Every body has each earlier call and each earlier result exactly once.',
  judge: ({ runs }) =>
    (runs[0]?.requests ?? []).flatMap(({ view }, index) => {
      if (view === undefined || view.continuation !== undefined) return []
      return (['call', 'result'] as const).flatMap((type) => {
        const found = view.items.flatMap((item) => (item.type === type && 'id' in item ? [item.id] : []))
        const ids = new Set(found)
        if (found.length === index && ids.size === index) return []
        const message = `the body holds ${found.length} ${type}s with ${ids.size} ids; ${index} earlier calls were made`
        return [{ message, where: `request ${index + 1}` }]
      })
    }),
}

const settingsInEveryTurn: Check = {
  id: 'settings-in-every-turn',
  sentence: 'Instructions and headers of the caller go with every turn.',
  judge: ({ runs }) =>
    (runs[0]?.requests ?? []).flatMap(({ view, headers }, index) => {
      const where = `request ${index + 1}`
      const lost = view !== undefined && view.instructions !== instructions
      return [
        ...(lost ? [{ message: `the instructions are ${JSON.stringify(view.instructions)}`, where }] : []),
        ...(headers['x-scenario'] === 'five-turn'
          ? []
          : [{ message: 'the header `x-scenario` of the caller is missing', where }]),
      ]
    }),
}

export const fiveTurn: Scenario = {
  id: 'five-turn',
  title: 'Four tools one after the other, then the answer.',
  appliesTo: { requires: ['tools'] },
  script: [
    answer(call('lookup_order', { id: 'ZH-1001' })),
    answer(say('Weiter mit 東京 …'), call('get_time', { tz: 'Asia/Tokyo' })),
    answer(call('get_weather', { city: 'Zürich' })),
    answer(call('get_weather', { city: '東京' })),
    answer(say('Alles geprüft ✅: ZH-1001, Zürich und 東京.')),
  ],
  golden: `
    run 1
      step 1 tool-calls
        call lookup_order {"id":"ZH-1001"} by loop
        result lookup_order json
      step 2 tool-calls
        text
        call get_time {"tz":"Asia/Tokyo"} by loop
        result get_time text
      step 3 tool-calls
        call get_weather {"city":"Zürich"} by loop
        result get_weather json
      step 4 tool-calls
        call get_weather {"city":"東京"} by loop
        result get_weather json
      step 5 stop
        text
      completed answer
  `,
  async run({ run, tools }) {
    const { lookup_order, get_time, get_weather } = tools()
    await run('Prüfe ZH-1001 und vergleiche Zürich mit 東京 🔎.', {
      tools: { lookup_order, get_time, get_weather },
      instructions,
      maxOutputTokens: 400,
      headers: { 'x-scenario': 'five-turn' },
    })
  },
  checks: [stepCounts(5), eachOnce, settingsInEveryTurn],
}
