import { unless } from '../check.ts'
import { unread } from '../judge/request-checks.ts'
import type { Scenario } from '../scenario.ts'
import { answer, call, say } from '../script-parts.ts'

export const continuation: Scenario = {
  id: 'continuation',
  title: 'Where the provider keeps responses, a turn names the last one and sends only what is new.',
  appliesTo: { requires: ['tools', 'continuation'] },
  script: [
    answer(call('get_weather', { city: 'Zürich' })),
    answer(call('get_time', { tz: 'Asia/Tokyo' })),
    answer(say('Zürich: 7 °C ☀️. 東京: 12:34 Uhr.')),
  ],
  golden: `
    run 1
      step 1 tool-calls
        call get_weather {"city":"Zürich"} by loop
        result get_weather json
      step 2 tool-calls
        call get_time {"tz":"Asia/Tokyo"} by loop
        result get_time text
      step 3 stop
        text
      completed answer
  `,
  async run({ run, tools, provider }) {
    const { get_weather, get_time } = tools()
    await run('Wetter in Zürich, Zeit in 東京?', {
      tools: { get_weather, get_time },
      providerOptions: { [provider]: { store: true } },
    })
  },
  checks: [
    {
      id: 'only-what-is-new',
      notSeen: unread,
      sentence: 'Every request after the first names a response, another one each time, and holds one result alone.',
      judge: ({ runs }) => {
        const views = (runs[0]?.requests ?? []).map(({ view }) => view)
        const later = views.slice(1)
        const named = new Set(later.map((view) => view?.continuation))
        return [
          ...unless(views[0]?.continuation === undefined, 'the first request names a response', 'request 1'),
          ...unless(named.size === later.length, 'two requests name the same response', 'run 1'),
          ...later.flatMap((view, index) => {
            const kinds = view?.items.map(({ type }) => type).join() ?? ''
            const where = `request ${index + 2}`
            return [
              ...unless(view?.continuation !== undefined, 'the request names no response', where),
              ...unless(kinds === 'result', `the items are ${kinds}; only the result is new`, where),
            ]
          }),
        ]
      },
    },
  ],
}
