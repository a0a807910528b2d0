import type { Check } from '../check.ts'
import { asks } from '../scenario-parts/asks.ts'
import { callsAre, resultsHold } from '../scenario-parts/call-triples.ts'
import { oneCall } from '../scenario-parts/one-call.ts'
import { saysAll } from '../scenario-parts/says-all.ts'
import type { Scenario } from '../scenario.ts'
import { answer, call, say } from '../script-parts.ts'

const callBeforeResult: Check = {
  id: 'call-before-result',
  sentence: 'In the second body the call stands before its result.',
  judge: ({ runs }) => {
    const items = runs[0]?.requests[1]?.view?.items
    if (items === undefined) return []
    const at = items.findIndex((item) => item.type === 'call')
    const resultAt = items.findIndex((item) => item.type === 'result')
    if (resultAt === -1) return [{ message: 'the second body has no result of the call', where: 'request 2' }]
    const covered = runs[0]?.requests[1]?.view?.continuation !== undefined
    if (covered || (at !== -1 && at < resultAt)) return []
    const message = at === -1 ? 'the second body has a result but not its call' : 'the result stands before its call'
    return [{ message, where: `request 2, ${items[resultAt]?.path ?? ''}` }]
  },
}

const said = 'In Zürich sind es 7 °C und die Sonne scheint ☀️.'

const singleCall: Scenario = {
  id: 'single-call',
  title: 'One call, one result, one answer.',
  appliesTo: { requires: ['tools'] },
  ...oneCall(said),
  run: asks('Wie ist das Wetter in Zürich?', ['get_weather']),
  checks: [callBeforeResult, saysAll(said)],
}

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

const textThenCall: Scenario = {
  id: 'text-then-call',
  title: 'Text and a call in one turn: the call runs, the text stays.',
  appliesTo: { requires: ['tools'] },
  script: [answer(say(preamble), call('get_time', { tz: 'Asia/Tokyo' })), answer(say('In 東京 ist es 12:34 Uhr 🕛.'))],
  golden: `
    step 1 tool-calls: text + call get_time {"tz":"Asia/Tokyo"} by loop + result get_time text
    step 2 stop: text
    completed answer
  `,
  run: asks('Wie spät ist es in 東京?', ['get_time']),
  checks: [textStays],
}

const calls = [
  { toolName: 'get_weather', input: { city: 'Zürich' } },
  { toolName: 'get_time', input: { tz: 'Asia/Tokyo' } },
]

const parallelCalls: Scenario = {
  id: 'parallel-calls',
  title: 'Two different tools in one turn; the second finishes first.',
  appliesTo: { requires: ['tools', 'parallel'] },
  script: [
    answer(...calls.map(({ toolName, input }) => call(toolName, input))),
    answer(say('Zürich: 7 °C ☀️. 東京: 12:34 Uhr.')),
  ],
  golden: `
    step 1 tool-calls
      call get_weather {"city":"Zürich"} by loop
      call get_time {"tz":"Asia/Tokyo"} by loop
      result get_weather json
      result get_time text
    step 2 stop: text
    completed answer
  `,
  async run({ run, tools }) {
    const { get_weather, get_time } = tools({ order: [1, 0] })
    await run('Wetter in Zürich und Zeit in 東京?', { tools: { get_weather, get_time } })
  },
  checks: [
    {
      id: 'triples',
      sentence: 'Each call has its own id, name and input.',
      judge: ({ runs }) => callsAre(runs[0], calls),
    },
    {
      id: 'pairs-by-id',
      sentence: 'Each result belongs to its own call, whichever finished first.',
      judge: ({ runs }) => resultsHold(runs[0], 0, ['Zürich', 'Asia/Tokyo']),
    },
  ],
}

const cities = ['Zürich', '東京', 'São Paulo']

const parallelSameTool: Scenario = {
  id: 'parallel-same-tool',
  title: 'Three calls of one tool in one turn, finishing in another order.',
  appliesTo: { requires: ['tools', 'parallel'] },
  script: [
    answer(...cities.map((city) => call('get_weather', { city }))),
    answer(say('Überall 7 °C: Zürich ☀️, 東京 ☀️, São Paulo ☀️.')),
  ],
  golden: `
    step 1 tool-calls
      call get_weather {"city":"Zürich"} by loop
      call get_weather {"city":"東京"} by loop
      call get_weather {"city":"São Paulo"} by loop
      result get_weather json
      result get_weather json
      result get_weather json
    step 2 stop: text
    completed answer
  `,
  async run({ run, tools }) {
    const { get_weather } = tools({ order: [2, 0, 1] })
    await run('Vergleiche das Wetter in Zürich, 東京 und São Paulo.', { tools: { get_weather } })
  },
  checks: [
    {
      id: 'triples',
      sentence: 'Each call has its own id, name and input.',
      judge: ({ runs }) =>
        callsAre(
          runs[0],
          cities.map((city) => ({ toolName: 'get_weather', input: { city } })),
        ),
    },
    {
      id: 'pairs-by-id',
      sentence: 'Each result belongs to its own call, although all have the same tool name.',
      judge: ({ runs }) => resultsHold(runs[0], 0, cities),
    },
  ],
}

export const toolCallsScenarios: readonly Scenario[] = [singleCall, textThenCall, parallelCalls, parallelSameTool]
