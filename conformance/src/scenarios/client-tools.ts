import { unless, type Check } from '../check.ts'
import { canonicalJson } from '../json.ts'
import { clientOwned } from '../scenario-parts/local-tools.ts'
import { asksAndAnswers } from '../scenario-parts/asks.ts'
import { counters, everyCallAnswered } from '../scenario-parts/run-counters.ts'
import type { Scenario } from '../scenario.ts'
import { answer, call, say } from '../script-parts.ts'

const location = 'liegt im Zoll von 東京 🛃'

const suspends: Check = {
  id: 'suspends-with-the-call',
  sentence: 'The run suspends with the pending call and its input, after one request.',
  judge: ({ runs }) => {
    const pending = runs[0]?.result?.transcript.pendingCalls ?? []
    const words = pending.map(({ toolName, input, reason }) => `${toolName} ${canonicalJson(input)} (${reason})`).join()
    const expected = 'lookup_order {"id":"ZH-1001"} (client-tool)'
    return [
      ...unless(words === expected, `pending is '${words}', not '${expected}'`, 'run 1'),
      ...unless(
        runs[0]?.requests.length === 1,
        `${runs[0]?.requests.length} requests were made before the caller answered`,
        'run 1',
      ),
    ]
  },
}

const outputArrives: Check = {
  id: 'output-arrives',
  sentence: 'The caller’s output is the result of its call in the resumed request.',
  judge: ({ runs }) => {
    const items = runs[1]?.requests[0]?.view?.items
    if (items === undefined) return []
    const texts = items.flatMap((item) => (item.type === 'result' ? [item.text] : []))
    return unless(
      texts.length === 1 && texts[0] === location,
      `the resumed request holds the results ${JSON.stringify(texts)}`,
      'run 2, request 1',
    )
  },
}

const clientTool: Scenario = {
  id: 'client-tool',
  title: 'A tool that the caller answers: the run suspends, is stored as JSON, and resumes with the output.',
  appliesTo: { requires: ['tools'] },
  script: [answer(call('lookup_order', { id: 'ZH-1001' })), answer(say('ZH-1001 liegt im Zoll von 東京 🛃.'))],
  golden: `
    run 1
      step 1 tool-calls: call lookup_order {"id":"ZH-1001"} by client
      requires-action client-tool
        pending lookup_order
    run 2
      step 1 stop: text
      completed answer
  `,
  run: asksAndAnswers('Wo ist ZH-1001? 📦', ({ lookup_order }) => ({ lookup_order: clientOwned(lookup_order) }), {
    output: location,
  }),
  checks: [suspends, outputArrives],
}

const mixedOwners: Scenario = {
  id: 'mixed-owners',
  title: 'A turn calls tools of the loop and of the caller: the loop’s part runs first, the rest pends.',
  appliesTo: { requires: ['tools', 'parallel'] },
  script: [
    answer(
      call('get_weather', { city: 'Zürich' }),
      call('lookup_order', { id: 'ZH-1001' }),
      call('get_time', { tz: 'Asia/Tokyo' }),
    ),
    answer(say('Zürich: 7 °C. ZH-1001 liegt im Zoll von 東京 🛃, dort ist es 12:34 Uhr.')),
  ],
  golden: `
    run 1
      step 1 tool-calls
        call get_weather {"city":"Zürich"} by loop
        call lookup_order {"id":"ZH-1001"} by client
        call get_time {"tz":"Asia/Tokyo"} by loop
        result get_weather json
        result get_time text
      requires-action client-tool
        pending lookup_order
    run 2
      step 1 stop: text
      completed answer
  `,
  run: asksAndAnswers(
    'Wetter, ZH-1001 und Zeit in 東京? 🗼',
    ({ get_weather, lookup_order, get_time }) => ({ get_weather, lookup_order: clientOwned(lookup_order), get_time }),
    { output: location },
  ),
  checks: [
    counters({ requests: 1, executions: 2 }, { requests: 1, executions: 0 }),
    everyCallAnswered,
    {
      id: 'call-order-after-resuming',
      sentence: 'The resumed request holds all results once, in call order, whoever gave them.',
      judge: ({ runs }) => {
        const view = runs[1]?.requests[0]?.view
        if (view === undefined || view.continuation !== undefined) return []
        const texts = view.items.flatMap((item) => (item.type === 'result' ? [item.text] : []))
        const marks = ['Zürich', 'Zoll von 東京', 'Asia/Tokyo']
        const holds = texts.length === 3 && marks.every((mark, index) => texts[index]?.includes(mark))
        return unless(holds, `the results are ${JSON.stringify(texts)}`, 'run 2, request 1')
      },
    },
  ],
}

export const clientToolsScenarios: readonly Scenario[] = [clientTool, mixedOwners]
