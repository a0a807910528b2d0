import { unless } from '../../../../check.ts'
import { asks } from '../../../../scenario-parts/asks.ts'
import type { Scenario } from '../../../../scenario.ts'
import { counters } from '../../../../scenario-parts/run-counters.ts'
import { answer, call, say } from '../../../../script-parts.ts'

export const groqToolUseFailed: Scenario = {
  id: 'groq-tool-use-failed',
  title: 'Arguments that Groq could not read: it says so in place of the call, the model is told, and calls again.',
  appliesTo: { requires: ['tools'], wires: ['openai-chat/groq'] },
  script: [
    answer({ type: 'call', toolName: 'get_weather', input: {}, inputText: '{"city": Zürich ☀️}' }),
    answer(call('get_weather', { city: 'Zürich' })),
    answer(say('In Zürich sind es 7 °C ☀️, nicht in 東京.')),
  ],
  golden: `
    run 1
      step 1 tool-calls
        call get_weather {"city":"Zürich"} by loop
        result get_weather json
      step 2 stop
        text
      completed answer
  `,
  run: asks('Wie ist das Wetter in Zürich?', ['get_weather']),
  checks: [
    counters({ requests: 3, executions: 1 }),
    {
      id: 'asked-to-call-again',
      sentence: 'The second body tells the model, in the name of the user, that its call could not be read.',
      judge: ({ runs }) => {
        const last = runs[0]?.requests[1]?.view?.items.at(-1)
        const reported = last?.type === 'user' && last.text.includes('could not be parsed')
        return unless(reported, `the last item is ${JSON.stringify(last)}`, 'run 1, request 2')
      },
    },
  ],
}
