import { AdapterError } from '@steploop/core'
import { unless } from '../check.ts'
import { unread } from '../judge/request-checks.ts'
import { asks } from '../scenario-parts/asks.ts'
import { oneCall, time, weather } from '../scenario-parts/one-call.ts'
import { counters } from '../scenario-parts/run-counters.ts'
import type { Scenario, ScenarioContext } from '../scenario.ts'
import { answer, call, say } from '../script-parts.ts'

const storing = ({ provider, storeOptions }: ScenarioContext) => ({ providerOptions: { [provider]: storeOptions } })

const continuation: Scenario = {
  id: 'continuation',
  title: 'Where the provider keeps responses, a turn names the last one and sends only what is new.',
  appliesTo: { requires: ['tools', 'continuation'] },
  ...oneCall('Zürich: 7 °C ☀️. 東京: 12:34 Uhr.', weather, time),
  run: asks('Wetter in Zürich, Zeit in 東京?', ['get_weather', 'get_time'], storing),
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

const continuationLost: Scenario = {
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
    step 1 tool-calls: reasoning + call get_weather {"city":"Zürich"} by loop + result get_weather json
    step 2 tool-calls: call get_time {"tz":"Asia/Tokyo"} by loop + result get_time text
    step 3 stop: text
    completed answer
  `,
  run: asks('Wetter in Zürich, Zeit in 東京?', ['get_weather', 'get_time'], (context) => ({
    ...storing(context),
    maxRetries: 0,
  })),
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

const added = 'Und bitte auch für 東京 🗼.'

const continuationEdited: Scenario = {
  id: 'continuation-edited',
  title: 'The history is edited between two steps: the provider’s copy is no longer the conversation.',
  appliesTo: {
    requires: ['tools', 'continuation'],
    stressors: { resume: 'The edit belongs to a step of its run, and a run that is resumed has another one.' },
  },
  ...oneCall('Zürich und 東京 haben 7 °C ☀️.'),
  run: asks('Wetter in Zürich?', ['get_weather'], (context) => ({
    ...storing(context),
    prepareStep: ({ step, messages }) =>
      step === 1 ? { messages: [...messages, { role: 'user', content: added }] } : undefined,
  })),
  checks: [
    {
      id: 'whole-history-again',
      notSeen: unread,
      sentence: 'The request after the edit names no response and holds the whole conversation, as edited.',
      judge: ({ runs }) => {
        const view = runs[0]?.requests[1]?.view
        const kinds = view?.items.map(({ type }) => type).join()
        return [
          ...unless(view?.continuation === undefined, 'the request names a response', 'request 2'),
          ...unless(kinds === 'user,call,result,user', `the items are ${kinds}`, 'request 2'),
        ]
      },
    },
  ],
}

export const continuationScenarios: readonly Scenario[] = [continuation, continuationLost, continuationEdited]
