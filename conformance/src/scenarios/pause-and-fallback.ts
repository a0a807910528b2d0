import { unless } from '../check.ts'
import { asks } from '../scenario-parts/asks.ts'
import { counters } from '../scenario-parts/run-counters.ts'
import type { Scenario } from '../scenario.ts'
import { answer, call, say } from '../script-parts.ts'

const begun = 'Ich suche noch in Zürich und 東京 🔎 …'

const pauseTurn: Scenario = {
  id: 'pause-turn',
  title: 'A turn that the provider pauses is sent back as it is, and goes on.',
  appliesTo: { requires: ['tools', 'pause'] },
  script: [{ ...answer(say(begun)), finish: 'pause' }, answer(say('Gefunden: beide haben einen Turm 🗼.'))],
  golden: `
    step 1 pause: text
    step 2 stop: text
    completed answer
  `,
  run: asks('Was haben Zürich und 東京 gemeinsam?', ['get_weather']),
  checks: [
    counters({ requests: 2, executions: 0 }),
    {
      id: 'sent-back-as-it-is',
      sentence: 'The second request ends with the paused turn, and says nothing in the name of the user.',
      judge: ({ runs }) => {
        const items = runs[0]?.requests[1]?.view?.items
        const last = items?.at(-1)
        const holds = items === undefined || (last?.type === 'text' && last.text === begun)
        return unless(holds, `the last item is ${JSON.stringify(last)}`, 'run 1, request 2')
      },
    },
  ],
}

const fallback: Scenario = {
  id: 'fallback',
  title: 'The first model is overloaded in the middle of a run: the second takes over, with the whole conversation.',
  appliesTo: {
    requires: ['tools'],
    stressors: { truncate: 'The other model takes over after a cut, too, so the run does not fail.' },
  },
  script: [
    answer(call('get_weather', { city: 'Zürich' })),
    { type: 'failure', failure: 'overloaded' },
    answer(call('get_time', { tz: 'Asia/Tokyo' })),
    answer(say('Zürich: 7 °C ☀️. 東京: 12:34 Uhr.')),
  ],
  golden: `
    step 1 tool-calls: call get_weather {"city":"Zürich"} by loop + result get_weather json
    step 2 tool-calls: call get_time {"tz":"Asia/Tokyo"} by loop + result get_time text
    step 3 stop: text
    completed answer
  `,
  run: asks('Wetter in Zürich, Zeit in 東京?', ['get_weather', 'get_time'], ({ another }) => ({
    fallbacks: [another()],
    maxRetries: 0,
  })),
  checks: [
    counters({ requests: 4, executions: 2 }),
    {
      id: 'said-once',
      sentence: 'One warning says which model failed, why, and which took over.',
      judge: ({ runs }) => {
        const reported = (runs[0]?.result?.warnings ?? []).filter(({ path }) => path === 'model')
        const said = reported.map(({ message }) => message).join('\n')
        return unless(
          reported.length === 1 && said.includes('overloaded'),
          `the warnings are ${JSON.stringify(said)}`,
          'run 1',
        )
      },
    },
  ],
}

export const pauseAndFallbackScenarios: readonly Scenario[] = [pauseTurn, fallback]
