import { AdapterError } from '@steploop/core'
import { unless } from '../check.ts'
import { unread } from '../judge/request-checks.ts'
import type { Scenario } from '../scenario.ts'
import { counters } from '../scenario-parts/run-counters.ts'
import { answer, call, say } from '../script-parts.ts'

export const continuationLost: Scenario = {
  id: 'continuation-lost',
  title:
    'The provider no longer has the response that a turn names: the whole conversation is sent, and no tool runs again.',
  appliesTo: { requires: ['tools', 'continuation'] },
  script: [
    answer({ type: 'reasoning', text: 'Erst das Wetter 🌤️.' }, call('get_weather', { city: 'Zürich' })),
    { type: 'loss' },
    answer(call('get_time', { tz: 'Asia/Tokyo' })),
    answer(say('Zürich: 7 °C ☀️. 東京: 12:34 Uhr.')),
  ],
  golden: `
    run 1
      step 1 tool-calls
        reasoning
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
      maxRetries: 0,
    })
  },
  checks: [
    counters({ requests: 4, executions: 2 }),
    {
      id: 'typed',
      sentence: 'The refused turn fails as `continuation-not-found`, with what the provider said.',
      judge: ({ runs }) => {
        const error = runs[0]?.turns[1]?.error
        const where = 'run 1, turn 2'
        if (!AdapterError.isInstance(error)) return [{ message: 'the turn did not throw an AdapterError', where }]
        return [
          ...unless(error.code === 'continuation-not-found', `the code is '${error.code}'`, where),
          ...unless((error.providerMessage ?? '') !== '', 'the provider’s message is lost', where),
        ]
      },
    },
    {
      id: 'whole-history-again',
      notSeen: unread,
      sentence:
        'The refused request names a response, the next one none and holds the whole conversation, and the last one goes on from there.',
      judge: ({ runs }) => {
        const views = (runs[0]?.requests ?? []).map(({ view }) => view)
        const named = views.map((view) => (view?.continuation === undefined ? 'no' : 'a')).join()
        const kinds = views[2]?.items.flatMap(({ type }) => (type === 'other' ? [] : [type])).join()
        return [
          ...unless(named === 'no,a,no,a', `the requests name ${named} response`, 'run 1'),
          ...unless(kinds === 'user,call,result', `the items are ${kinds}`, 'request 3'),
        ]
      },
    },
  ],
}
