import { unless } from '../check.ts'
import type { Scenario } from '../scenario.ts'
import { counters, countsAnew, everyCallAnswered, finalizesWithoutTools } from '../scenario-parts/run-counters.ts'
import { answer, call, say } from '../script-parts.ts'

const again = answer(call('lookup_order', { id: 'ZH-1001' }))

export const repeatedCall: Scenario = {
  id: 'repeated-call',
  title: 'The same call again and again: the model is told so, and when it goes on, its next turn is the last.',
  appliesTo: { requires: ['tools'], stressors: { resume: countsAnew } },
  script: [again, again, again, again, answer(say('ZH-1001 ist verschickt, mehr weiss ich nicht 📦.'))],
  golden: `
    run 1
      step 1 tool-calls
        call lookup_order {"id":"ZH-1001"} by loop
        result lookup_order json
      step 2 tool-calls
        call lookup_order {"id":"ZH-1001"} by loop
        result lookup_order json
      step 3 tool-calls
        call lookup_order {"id":"ZH-1001"} by loop
        result lookup_order error repeated-call
      step 4 tool-calls
        call lookup_order {"id":"ZH-1001"} by loop
        result lookup_order error repeated-call
      step 5 stop
        text
      completed repeated-call
  `,
  async run({ run, tools }) {
    const { lookup_order } = tools()
    await run('Ist ZH-1001 schon in 東京?', { tools: { lookup_order }, maxRepeatedCalls: 3 })
  },
  checks: [
    counters({ requests: 5, executions: 2 }),
    finalizesWithoutTools,
    everyCallAnswered,
    {
      id: 'nudge-reaches-the-model',
      sentence: 'The request after the repetition tells the model that the call was not run again.',
      judge: ({ runs }) => {
        const items = runs[0]?.requests[3]?.view?.items
        const told = items?.some((item) => item.type === 'result' && item.text.includes('repeated-call'))
        return unless(told !== false, 'no result of the request says `repeated-call`', 'run 1, request 4')
      },
    },
  ],
}
