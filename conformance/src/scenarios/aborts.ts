import { LoopError } from '@steploop/core'
import { unless } from '../check.ts'
import { counters, everyCallAnswered } from '../scenario-parts/run-counters.ts'
import type { Scenario } from '../scenario.ts'
import { answer, call, say } from '../script-parts.ts'

const abortBefore: Scenario = {
  id: 'abort-before',
  title: 'A signal that is aborted already: nothing is asked.',
  script: [answer(say('Grüezi aus Zürich 👋'))],
  golden: `
    run 1
      step 1 stop: text
      completed answer
    run 2
      failed aborted from Error
  `,
  async run({ run }) {
    await run('Sag Grüezi aus Zürich.')
    await run('Und aus 東京?', { abortSignal: AbortSignal.abort(new Error('the caller has left 🚪')) })
  },
  checks: [counters({ requests: 1, executions: 0 }, { requests: 0, executions: 0 })],
}

const abortMidStream: Scenario = {
  id: 'abort-mid-stream',
  title: 'The caller aborts at the first words: the run settles, and nothing more is delivered or asked.',
  appliesTo: { modes: { generate: 'An answer that comes in one piece has no middle.' } },
  script: [answer(say('Es war einmal in Zürich, da fuhr ein Zug nach 東京 🚄 …'))],
  golden: `
    failed aborted from Error
  `,
  async run({ run }) {
    const controller = new AbortController()
    await run('Erzähl von Zürich und 東京.', {
      abortSignal: controller.signal,
      onEvent({ type }) {
        if (type === 'text-delta') controller.abort(new Error('the caller has left 🚪'))
      },
    })
  },
  checks: [
    {
      id: 'nothing-more',
      sentence: 'No step ends and no other request is made after the abort.',
      judge: ({ runs }) => {
        const types = (runs[0]?.events ?? []).map(({ type }) => type)
        return [
          ...unless(!types.includes('step-end'), 'a step ended after the abort', 'run 1'),
          ...unless(runs[0]?.requests.length === 1, `${runs[0]?.requests.length} requests were made`, 'run 1'),
        ]
      },
    },
  ],
}

const abortInTool: Scenario = {
  id: 'abort-in-tool',
  title: 'The caller aborts while a tool hangs: the run settles at once, and its transcript can be continued.',
  appliesTo: { requires: ['tools'] },
  script: [answer(call('get_weather', { city: 'Zürich' })), answer(say('Dann eben ohne das Wetter in 東京 👋.'))],
  golden: `
    run 1
      step 1 tool-calls: call get_weather {"city":"Zürich"} by loop + result get_weather error aborted
      failed aborted from Error
    run 2
      step 1 stop: text
      completed answer
  `,
  async run({ run, tools }) {
    const { get_weather } = tools()
    const controller = new AbortController()
    const hanging: typeof get_weather = {
      ...get_weather,
      async execute(input, context) {
        await get_weather.execute?.(input, context)
        controller.abort(new Error('the caller has left 🚪'))
        return new Promise<never>(() => undefined)
      },
    }
    const options = { tools: { get_weather: hanging } }
    const { error } = await run('Wetter in Zürich?', { ...options, abortSignal: controller.signal })
    const transcript = LoopError.isInstance(error) ? error.transcript : undefined
    if (transcript !== undefined) await run({ transcript, prompt: 'Und ohne Wetter?' }, options)
  },
  checks: [counters({ requests: 1, executions: 1 }, { requests: 1, executions: 0 }), everyCallAnswered],
}

export const abortsScenarios: readonly Scenario[] = [abortBefore, abortMidStream, abortInTool]
