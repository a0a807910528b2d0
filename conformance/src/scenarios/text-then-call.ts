import type { Check } from '../check.ts'
import type { Scenario } from '../scenario.ts'
import { answer, call, say } from '../script-parts.ts'

const preamble = 'Ich schaue kurz nach, wie spät es in 東京 ist … 🕰️'

const textStays: Check = {
  id: 'text-stays-in-history',
  isOfScript: true,
  sentence: 'The text that came with the call is in the history of the next request, before the call.',
  judge: ({ runs }) => {
    const view = runs[0]?.requests[1]?.view
    if (view === undefined || view.continuation !== undefined) return []
    const textAt = view.items.findIndex((item) => item.type === 'text' && item.text === preamble)
    const callAt = view.items.findIndex((item) => item.type === 'call')
    if (textAt === -1)
      return [{ message: `the history has lost the text ${JSON.stringify(preamble)}`, where: 'request 2' }]
    return callAt > textAt
      ? []
      : [{ message: 'the text stands after the call that it came before', where: 'request 2' }]
  },
}

export const textThenCall: Scenario = {
  id: 'text-then-call',
  title: 'Text and a call in one turn: the call runs, the text stays.',
  appliesTo: { requires: ['tools'] },
  script: [answer(say(preamble), call('get_time', { tz: 'Asia/Tokyo' })), answer(say('In 東京 ist es 12:34 Uhr 🕛.'))],
  golden: `
    run 1
      step 1 tool-calls
        text
        call get_time {"tz":"Asia/Tokyo"} by loop
        result get_time text
      step 2 stop
        text
      completed answer
  `,
  async run({ run, tools }) {
    const { get_time } = tools()
    await run('Wie spät ist es in 東京?', { tools: { get_time } })
  },
  checks: [textStays],
}
