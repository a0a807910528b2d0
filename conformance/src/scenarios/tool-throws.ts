import { LoopError } from '@steploop/core'
import { isObject } from '@steploop/core/adapter'
import { unless, type Check } from '../check.ts'
import type { Scenario } from '../scenario.ts'
import { parsed } from '../json.ts'
import { answer, call, say } from '../script-parts.ts'

const reason = 'Strom weg in 東京 ⚡'

const errorIsJson: Check = {
  id: 'error-is-json',
  sentence: 'The model gets `{"error":{"code":"tool-failed","message":...}}` with what the tool threw.',
  judge: ({ runs }) => {
    const view = runs[0]?.requests[1]?.view
    if (view === undefined) return []
    const texts = view.items.flatMap((item) => (item.type === 'result' ? [item.text] : []))
    const told = texts.some((text) => {
      const output = parsed(text)
      const error = isObject(output) && isObject(output['error']) ? output['error'] : {}
      return error['code'] === 'tool-failed' && String(error['message']).includes(reason)
    })
    if (told) return []
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

export const toolThrows: Scenario = {
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
      step 2 stop
        text
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
