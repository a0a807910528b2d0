import { LoopError } from '@steploop/core'
import { unless } from '../check.ts'
import { asks } from '../scenario-parts/asks.ts'
import { callsAre, resultsHold } from '../scenario-parts/call-triples.ts'
import { counters, countsAnew, everyCallAnswered, finalizesWithoutTools } from '../scenario-parts/run-counters.ts'
import type { Scenario } from '../scenario.ts'
import { answer, call, say } from '../script-parts.ts'

const maxStepsFinalize: Scenario = {
  id: 'max-steps-finalize',
  title: 'After its last batch of calls the model is asked once more, without tools, and answers.',
  appliesTo: { requires: ['tools'], stressors: { resume: countsAnew } },
  script: [
    answer(call('get_weather', { city: 'Zürich' })),
    answer(call('get_weather', { city: '東京' })),
    answer(say('Zürich und 東京 haben 7 °C ☀️; weiter kam ich nicht.')),
  ],
  golden: `
    step 1 tool-calls: call get_weather {"city":"Zürich"} by loop + result get_weather json
    step 2 tool-calls: call get_weather {"city":"東京"} by loop + result get_weather json
    step 3 stop: text
    completed max-steps
  `,
  run: asks('Wetter in Zürich, 東京 und São Paulo?', ['get_weather'], { maxSteps: 2 }),
  checks: [counters({ requests: 3, executions: 2 }), finalizesWithoutTools, everyCallAnswered],
}

const maxStepsIncomplete: Scenario = {
  id: 'max-steps-incomplete',
  title: 'The calls of the request after the last batch are answered, not run, and the run ends as incomplete.',
  appliesTo: { requires: ['tools', 'parallel'], stressors: { resume: countsAnew } },
  script: [
    answer(call('get_weather', { city: 'Zürich' })),
    answer(call('get_weather', { city: '東京' }), call('get_time', { tz: 'Asia/Tokyo' })),
  ],
  golden: `
    step 1 tool-calls: call get_weather {"city":"Zürich"} by loop + result get_weather json
    step 2 tool-calls
      call get_weather {"city":"東京"} by loop
      call get_time {"tz":"Asia/Tokyo"} by loop
      result get_weather error limit-reached
      result get_time error limit-reached
    incomplete max-steps
  `,
  run: asks('Wetter und Zeit in Zürich und 東京?', ['get_weather', 'get_time'], { maxSteps: 1, onLimit: 'incomplete' }),
  checks: [counters({ requests: 2, executions: 1 }), everyCallAnswered],
}

const around = ['Dort ist es vielleicht kalt … ', 'Gleich weiss ich mehr über 東京 🗼.'] as const

const maxStepsThrow: Scenario = {
  id: 'max-steps-throw',
  title: 'With `onLimit: throw` the run rejects at its limit, and the transcript of the error can be continued.',
  appliesTo: { requires: ['tools'], stressors: { resume: countsAnew } },
  script: [
    answer(call('lookup_order', { id: 'ZH-1001' })),
    answer(say(around[0]), call('get_weather', { city: '東京' }), say(around[1])),
  ],
  // Some formats have one place for words, before the calls.
  golden: `
    step 1 tool-calls: call lookup_order {"id":"ZH-1001"} by loop + result lookup_order json
    step 2 tool-calls: text + call get_weather {"city":"東京"} by loop + text? + result get_weather error limit-reached
    failed max-steps
  `,
  run: asks('Wohin geht ZH-1001, und wie ist dort das Wetter? 🌦️', ['lookup_order', 'get_weather'], {
    maxSteps: 1,
    onLimit: 'throw',
  }),
  checks: [
    counters({ requests: 2, executions: 1 }),
    everyCallAnswered,
    {
      id: 'says-how-to-mend-it',
      sentence: 'The error names the option that sets the limit.',
      judge: ({ runs }) => {
        const error = runs[0]?.error
        const message = LoopError.isInstance(error) ? error.message : ''
        return unless(message.includes('maxSteps'), `the message is ${JSON.stringify(message)}`, 'run 1')
      },
    },
    {
      id: 'words-around-a-call',
      isOfScript: true,
      sentence: 'What was said before and after the call is there, in that order.',
      judge: ({ runs }) => {
        const error = runs[0]?.error
        const text = LoopError.isInstance(error) ? error.steps.at(-1)?.text : undefined
        return unless(text === around.join(''), `the text is ${JSON.stringify(text)}`, 'run 1, step 2')
      },
    },
  ],
}

const calls = ['Zürich', '東京', 'São Paulo'].map((city) => ({ toolName: 'get_weather', input: { city } }))

const tooManyCalls: Scenario = {
  id: 'too-many-calls',
  title: 'More calls in one turn than a step may run: the excess is answered, not run.',
  appliesTo: { requires: ['tools', 'parallel'] },
  script: [
    answer(...calls.map(({ toolName, input }) => call(toolName, input))),
    answer(say('Zürich und 東京: 7 °C ☀️. São Paulo blieb offen.')),
  ],
  golden: `
    step 1 tool-calls
      call get_weather {"city":"Zürich"} by loop
      call get_weather {"city":"東京"} by loop
      call get_weather {"city":"São Paulo"} by loop
      result get_weather json
      result get_weather json
      result get_weather error too-many-calls
    step 2 stop: text
    completed answer
  `,
  run: asks('Wetter in Zürich, 東京 und São Paulo? 🌍', ['get_weather'], { maxToolCallsPerStep: 2 }),
  checks: [
    counters({ requests: 2, executions: 2 }),
    everyCallAnswered,
    {
      id: 'triples',
      sentence: 'The calls that are not run stay in the step, with their own ids and inputs.',
      judge: ({ runs }) => callsAre(runs[0], calls),
    },
    {
      id: 'excess-reported',
      sentence: 'The excess is the last call, and its answer says how many calls a step runs.',
      judge: ({ runs }) => resultsHold(runs[0], 0, ['Zürich', '東京', 'At most 2']),
    },
  ],
}

const again = answer(call('lookup_order', { id: 'ZH-1001' }))

const repeatedCall: Scenario = {
  id: 'repeated-call',
  title: 'The same call again and again: the model is told so, and when it goes on, its next turn is the last.',
  appliesTo: { requires: ['tools'], stressors: { resume: countsAnew } },
  script: [again, again, again, again, answer(say('ZH-1001 ist verschickt, mehr weiss ich nicht 📦.'))],
  golden: `
    step 1 tool-calls: call lookup_order {"id":"ZH-1001"} by loop + result lookup_order json
    step 2 tool-calls: call lookup_order {"id":"ZH-1001"} by loop + result lookup_order json
    step 3 tool-calls: call lookup_order {"id":"ZH-1001"} by loop + result lookup_order error repeated-call
    step 4 tool-calls: call lookup_order {"id":"ZH-1001"} by loop + result lookup_order error repeated-call
    step 5 stop: text
    completed repeated-call
  `,
  run: asks('Ist ZH-1001 schon in 東京?', ['lookup_order'], { maxRepeatedCalls: 3 }),
  checks: [
    counters({ requests: 5, executions: 2 }),
    finalizesWithoutTools,
    everyCallAnswered,
    {
      id: 'nudge-reaches-the-model',
      sentence: 'The request after the repetition tells the model that the call was not run again.',
      judge: ({ runs }) => {
        const items = runs[0]?.requests[3]?.view?.items
        const reported = items?.some((item) => item.type === 'result' && item.text.includes('repeated-call'))
        return unless(reported !== false, 'no result of the request says `repeated-call`', 'run 1, request 4')
      },
    },
  ],
}

export const stepLimitsScenarios: readonly Scenario[] = [
  maxStepsFinalize,
  maxStepsIncomplete,
  maxStepsThrow,
  tooManyCalls,
  repeatedCall,
]
