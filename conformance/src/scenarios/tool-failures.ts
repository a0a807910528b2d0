import { LoopError } from '@steploop/core'
import { isObject } from '@steploop/core/adapter'
import { unless, type Check } from '../check.ts'
import { parsed } from '../json.ts'
import { asks } from '../scenario-parts/asks.ts'
import { counters, everyCallAnswered } from '../scenario-parts/run-counters.ts'
import type { Scenario } from '../scenario.ts'
import { answer, call, say } from '../script-parts.ts'

const invalidArguments: Scenario = {
  id: 'invalid-arguments',
  title: 'Arguments that the schema refuses: the tool does not run, the model is told why, and corrects itself.',
  appliesTo: { requires: ['tools'] },
  script: [
    answer(call('get_weather', { city: 8001 })),
    answer(call('get_weather', { city: 'Zürich' })),
    answer(say('In Zürich sind es 7 °C ☀️.')),
  ],
  golden: `
    step 1 tool-calls: call get_weather {"city":8001} by loop + result get_weather error invalid-input
    step 2 tool-calls: call get_weather {"city":"Zürich"} by loop + result get_weather json
    step 3 stop: text
    completed answer
  `,
  run: asks('Wetter in 8001 Zürich? 🇨🇭', ['get_weather']),
  checks: [
    counters({ requests: 3, executions: 1 }),
    everyCallAnswered,
    {
      id: 'says-path-and-reason',
      sentence: 'The model is told which argument is wrong, and why.',
      judge: ({ runs }) => {
        const items = runs[0]?.requests[1]?.view?.items
        const texts = items?.flatMap((item) => (item.type === 'result' ? [item.text] : [])) ?? []
        const reported = texts.some((text) => text.includes('city') && text.includes('expected a text, got number'))
        return unless(items === undefined || reported, `the model is told ${texts.join(' and ')}`, 'run 1, request 2')
      },
    },
  ],
}

const unparsableArguments: Scenario = {
  id: 'unparsable-arguments',
  title:
    'Arguments that are no JSON: the tool does not run, the model corrects itself, the broken turn can be replayed.',
  appliesTo: {
    requires: ['tools'],
    stressors: {
      'hand-over':
        'Other providers take arguments that are no JSON as an empty object, which the comparison of histories does not know.',
    },
  },
  mayLose: ['messages', 'assistant'],
  script: [
    answer({ type: 'call', toolName: 'get_weather', input: {}, inputText: '{"city": Zürich ☀️}' }),
    answer(call('get_weather', { city: 'Zürich' })),
    answer(say('In Zürich sind es 7 °C ☀️.')),
  ],
  golden: `
    step 1 tool-calls: call get_weather unparsable by loop + result get_weather error unparsable-input
    step 2 tool-calls: call get_weather {"city":"Zürich"} by loop + result get_weather json
    step 3 stop: text
    completed answer
  `,
  run: asks('Wetter in Zürich, dann in 東京?', ['get_weather']),
  checks: [
    counters({ requests: 3, executions: 1 }),
    everyCallAnswered,
    {
      id: 'shows-what-came',
      sentence: 'The model is shown what it wrote.',
      judge: ({ runs }) => {
        const text = JSON.stringify(runs[0]?.result?.steps[0]?.toolResults[0]?.output ?? null)
        return unless(text.includes('Zürich ☀️'), `the model is told ${text}`, 'run 1, step 1')
      },
    },
  ],
}

const reason = 'Strom weg in 東京 ⚡'

const errorIsJson: Check = {
  id: 'error-is-json',
  sentence: 'The model gets `{"error":{"code":"tool-failed","message":...}}` with what the tool threw.',
  judge: ({ runs }) => {
    const view = runs[0]?.requests[1]?.view
    if (view === undefined) return []
    const texts = view.items.flatMap((item) => (item.type === 'result' ? [item.text] : []))
    const reported = texts.some((text) => {
      const output = parsed(text)
      const error = isObject(output) && isObject(output['error']) ? output['error'] : {}
      return error['code'] === 'tool-failed' && String(error['message']).includes(reason)
    })
    if (reported) return []
    return [
      {
        message: `no result tells the model of the failure; the results are ${texts.join(' and ')}`,
        where: 'request 2',
      },
    ]
  },
}

const errorIsFlagged: Check = {
  id: 'error-is-flagged',
  sentence:
    'Where the format has a flag for calls that failed, it stands at the result of the failure, and at no other.',
  judge: ({ runs }) =>
    (runs[0]?.requests[1]?.view?.items ?? []).flatMap((item) => {
      if (item.type !== 'result' || item.isError === undefined) return []
      const message = `the result ${item.text.slice(0, 60)} is sent as ${item.isError ? 'a failure' : 'a success'}`
      return unless(item.isError === item.text.includes(reason), message, `request 2, ${item.path}`)
    }),
}

const siblingKept: Check = {
  id: 'sibling-kept',
  sentence: 'The calls beside a failing one keep their results.',
  judge: ({ runs }) => {
    const results = runs[0]?.result?.steps[0]?.toolResults ?? []
    const weather = results.find((result) => result.toolName === 'get_weather')
    if (weather?.output.type === 'json') return []
    return [{ message: `the result of get_weather is ${JSON.stringify(weather?.output)}`, where: 'run 1, step 1' }]
  },
}

const throwCarriesTranscript: Check = {
  id: 'throw-carries-transcript',
  sentence:
    'With `onToolError: throw` the run rejects with `tool-failed`, and its transcript leaves no call unanswered.',
  judge: ({ runs }) => {
    const error = runs[1]?.error
    if (!LoopError.isInstance(error)) return [{ message: 'the run did not reject with a LoopError', where: 'run 2' }]
    const messages = error.transcript?.messages ?? []
    const parts = messages.flatMap((message) => (typeof message.content === 'string' ? [] : message.content))
    const answered = new Set(parts.flatMap((part) => (part.type === 'tool-result' ? [part.toolCallId] : [])))
    const calls = parts.filter((part) => part.type === 'tool-call')
    if (calls.length === 0)
      return [{ message: 'the transcript of the error lacks the calls of the step', where: 'run 2' }]
    return calls
      .filter((part) => !answered.has(part.toolCallId))
      .map((part) => ({ message: `the transcript of the error leaves ${part.toolName} unanswered`, where: 'run 2' }))
  },
}

const toolThrows: Scenario = {
  id: 'tool-throws',
  title: 'A tool throws beside one that works: the model is told, or the run rejects when the caller wants that.',
  appliesTo: { requires: ['tools', 'parallel'] },
  script: [
    answer(call('get_weather', { city: 'Zürich' }), call('fail', { reason })),
    answer(say('In Zürich sind es 7 °C; 東京 war nicht zu erreichen ⚡.')),
    answer(call('get_weather', { city: 'Zürich' }), call('fail', { reason })),
  ],
  golden: `
    run 1
      step 1 tool-calls
        call get_weather {"city":"Zürich"} by loop
        call fail {"reason":"Strom weg in 東京 ⚡"} by loop
        result get_weather json
        result fail error tool-failed
      step 2 stop: text
      completed answer
    run 2
      step 1 tool-calls
        call get_weather {"city":"Zürich"} by loop
        call fail {"reason":"Strom weg in 東京 ⚡"} by loop
        result get_weather json
        result fail error tool-failed
      failed tool-failed from Error
  `,
  async run({ run, tools }) {
    const { get_weather, fail } = tools()
    const prompt = 'Wetter in Zürich und 東京?'
    await run(prompt, { tools: { get_weather, fail } })
    await run(prompt, { tools: { get_weather, fail }, onToolError: 'throw' })
  },
  checks: [errorIsJson, errorIsFlagged, siblingKept, throwCarriesTranscript],
}

const limit = 20_000
const late = 'zu spät aus 東京 🐌'

const toolTimesOut: Scenario = {
  id: 'tool-times-out',
  title:
    'A tool that ignores its signal: answered at its limit, the run goes on, and what it returns later is dropped.',
  appliesTo: {
    requires: ['tools', 'parallel'],
    stressors: { order: 'The clock moves while both calls run, so the order decides which of them is in time.' },
  },
  script: [
    answer(call('get_weather', { city: 'Zürich' }), call('get_time', { tz: 'Asia/Tokyo' })),
    answer(say('Zürich hat 7 °C ☀️; die Uhr in 東京 antwortet nicht.')),
  ],
  golden: `
    step 1 tool-calls
      call get_weather {"city":"Zürich"} by loop
      call get_time {"tz":"Asia/Tokyo"} by loop
      result get_weather json
      result get_time error tool-timeout
    step 2 stop: text
    completed answer
  `,
  async run({ run, tools, clock: staged }) {
    const clock = staged()
    const { get_weather, get_time } = tools()
    const slow: typeof get_time = {
      ...get_time,
      async execute(input, context) {
        await get_time.execute?.(input, context)
        await new Promise((resolve) => setImmediate(resolve))
        clock.elapse(limit)
        // By now the loop has its answer.
        await new Promise((resolve) => setImmediate(resolve))
        return late
      },
    }
    await run('Wetter in Zürich und Zeit in 東京?', {
      tools: { get_weather, get_time: slow },
      toolTimeout: limit,
      clock,
    })
  },
  checks: [
    counters({ requests: 2, executions: 2 }),
    everyCallAnswered,
    {
      id: 'late-result-dropped',
      sentence: 'What a tool returns after its time is in no message and no request.',
      judge: ({ runs }) => {
        const reported = JSON.stringify([runs[0]?.result?.messages, runs[0]?.requests.map(({ text }) => text)])
        return unless(!reported.includes('zu spät aus'), 'the late result is part of the conversation', 'run 1')
      },
    },
  ],
}

export const toolFailuresScenarios: readonly Scenario[] = [
  invalidArguments,
  unparsableArguments,
  toolThrows,
  toolTimesOut,
]
