import { LoopError } from '@steploop/core'
import { unless } from '../check.ts'
import type { Scenario } from '../scenario.ts'
import { counters, countsAnew, everyCallAnswered } from '../scenario-parts/run-counters.ts'
import { answer, call } from '../script-parts.ts'

export const maxStepsThrow: Scenario = {
  id: 'max-steps-throw',
  title: 'With `onLimit: throw` the run rejects at its limit, and the transcript of the error can be continued.',
  appliesTo: { requires: ['tools'], stressors: { resume: countsAnew } },
  script: [answer(call('lookup_order', { id: 'ZH-1001' })), answer(call('get_weather', { city: '東京' }))],
  golden: `
    run 1
      step 1 tool-calls
        call lookup_order {"id":"ZH-1001"} by loop
        result lookup_order json
      step 2 tool-calls
        call get_weather {"city":"東京"} by loop
        result get_weather error limit-reached
      failed max-steps
  `,
  async run({ run, tools }) {
    const { lookup_order, get_weather } = tools()
    await run('Wohin geht ZH-1001, und wie ist dort das Wetter? 🌦️', {
      tools: { lookup_order, get_weather },
      maxSteps: 1,
      onLimit: 'throw',
    })
  },
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
  ],
}
