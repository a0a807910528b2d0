import { unless, type Check } from '../check.ts'
import { asks } from '../scenario-parts/asks.ts'
import { resultsHold } from '../scenario-parts/call-triples.ts'
import { counters, everyCallAnswered } from '../scenario-parts/run-counters.ts'
import type { Scenario } from '../scenario.ts'
import { answer, call, say } from '../script-parts.ts'
import type { ScriptedPart } from '../script.ts'

const truncatedCall: Scenario = {
  id: 'truncated-call',
  title: 'The token limit is reached in the middle of a call: it is answered, not run, and the model tries again.',
  appliesTo: {
    requires: ['tools'],
    stressors: {
      'hand-over':
        'Other providers take arguments that are no JSON as an empty object, which the comparison of histories does not know.',
    },
  },
  mayLose: ['messages', 'assistant'],
  script: [
    {
      ...answer(say('Moment 🕰️'), { type: 'call', toolName: 'get_weather', input: {}, inputText: '{"city":"Zür' }),
      finish: 'length',
    },
    answer(call('get_weather', { city: 'Zürich' })),
    answer(say('In Zürich sind es 7 °C ☀️.')),
  ],
  golden: `
    step 1 length: text + call get_weather truncated by loop + result get_weather error truncated-call
    step 2 tool-calls: call get_weather {"city":"Zürich"} by loop + result get_weather json
    step 3 stop: text
    completed answer
  `,
  run: asks('Wetter in Zürich, dann in 東京?', ['get_weather'], { maxOutputTokens: 64 }),
  checks: [counters({ requests: 3, executions: 1 }), everyCallAnswered],
}

/** Legal everywhere, Mistral's nine characters included. */
const id = 'simsameid'
const again = (city: string): ScriptedPart => ({ type: 'call', toolName: 'get_weather', input: { city }, id })

const repeatedIds: Scenario = {
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
    step 1 tool-calls: call get_weather {"city":"Zürich"} by loop + result get_weather json
    step 2 tool-calls: call get_weather {"city":"東京"} by loop + result get_weather json
    step 3 stop: text
    completed answer
  `,
  run: asks('Wetter in Zürich, dann in 東京?', ['get_weather']),
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

const namesTools: Check = {
  id: 'names-available-tools',
  sentence: 'The answer to a call of an unknown tool names the tools that there are.',
  judge: ({ runs }) => {
    const result = runs[0]?.result?.steps[0]?.toolResults[0]
    const text = JSON.stringify(result?.output ?? null)
    const reported = text.includes('unknown-tool') && text.includes('get_weather') && text.includes('get_time')
    return unless(reported, `the model is told ${text}, which does not name get_weather and get_time`, 'run 1, step 1')
  },
}

const nothingRuns: Check = {
  id: 'nothing-runs-for-it',
  sentence: 'No tool runs in place of an unknown one.',
  judge: ({ runs }) => {
    const events = runs[0]?.turns[0]?.events ?? []
    const ids = new Set(events.flatMap((event) => (event.type === 'tool-call' ? [event.toolCallId] : [])))
    const ran = (runs[0]?.executions ?? []).filter(({ toolCallId }) => ids.has(toolCallId))
    const names = ran.map(({ toolName }) => toolName).join(', ')
    return unless(ran.length === 0, `${names} ran for the call of get_wether`, 'run 1, step 1')
  },
}

const unknownTool: Scenario = {
  id: 'unknown-tool',
  title: 'The model calls a tool that does not exist, is told so, and takes the right one.',
  appliesTo: { requires: ['tools'] },
  script: [
    answer(call('get_wether', { city: 'Zürich' })),
    answer(call('get_weather', { city: 'Zürich' })),
    answer(say('Jetzt aber: Zürich hat 7 °C ☀️.')),
  ],
  golden: `
    step 1 tool-calls: call get_wether {"city":"Zürich"} by client + result get_wether error unknown-tool
    step 2 tool-calls: call get_weather {"city":"Zürich"} by loop + result get_weather json
    step 3 stop: text
    completed answer
  `,
  run: asks('Wetter in Zürich 🌤️?', ['get_weather', 'get_time']),
  checks: [namesTools, nothingRuns],
}

export const brokenCallsScenarios: readonly Scenario[] = [truncatedCall, repeatedIds, unknownTool]
