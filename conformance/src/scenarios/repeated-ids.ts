import { unless } from '../check.ts'
import type { ScriptedPart } from '../script.ts'
import type { Scenario } from '../scenario.ts'
import { resultsHold } from '../scenario-parts/call-triples.ts'
import { answer, say } from '../script-parts.ts'

/** Legal everywhere, Mistral's nine characters included. */
const id = 'simsameid'
const again = (city: string): ScriptedPart => ({ type: 'call', toolName: 'get_weather', input: { city }, id })

export const repeatedIds: Scenario = {
  id: 'repeated-ids',
  title: 'The provider gives a later call the id of an earlier one: each result goes to its own call.',
  appliesTo: {
    requires: ['tools'],
    stressors: {
      'hand-over':
        'A provider that repeats its ids gets them back, and the comparison of histories takes them for a mistake.',
    },
  },
  script: [answer(again('Zürich')), answer(again('東京')), answer(say('In Zürich und 東京 sind es 7 °C ☀️.'))],
  golden: `
    run 1
      step 1 tool-calls
        call get_weather {"city":"Zürich"} by loop
        result get_weather json
      step 2 tool-calls
        call get_weather {"city":"東京"} by loop
        result get_weather json
      step 3 stop
        text
      completed answer
  `,
  async run({ run, tools }) {
    const { get_weather } = tools()
    await run('Wetter in Zürich, dann in 東京?', { tools: { get_weather } })
  },
  checks: [
    {
      id: 'ids-unique',
      sentence: 'Within a run no two calls share an id, whatever the provider calls them.',
      judge: ({ runs }) => {
        const ids = (runs[0]?.result?.toolCalls ?? []).map(({ toolCallId }) => toolCallId)
        return unless(new Set(ids).size === ids.length, `the ids are ${ids.join(', ')}`, 'run 1')
      },
    },
    {
      id: 'pairs-by-id',
      sentence: 'Each result belongs to its own call.',
      judge: ({ runs }) => [...resultsHold(runs[0], 0, ['Zürich']), ...resultsHold(runs[0], 1, ['東京'])],
    },
  ],
}
