import { LoopError } from '@steploop/core'
import type { Scenario } from '../scenario.ts'
import { counters, everyCallAnswered } from '../scenario-parts/run-counters.ts'
import { answer, call, say } from '../script-parts.ts'

export const abortInTool: Scenario = {
  id: 'abort-in-tool',
  title: 'The caller aborts while a tool hangs: the run settles at once, and its transcript can be continued.',
  appliesTo: { requires: ['tools'] },
  script: [answer(call('get_weather', { city: 'Zürich' })), answer(say('Dann eben ohne das Wetter in 東京 👋.'))],
  golden: `
    run 1
      step 1 tool-calls
        call get_weather {"city":"Zürich"} by loop
        result get_weather error aborted
      failed aborted from Error
    run 2
      step 1 stop
        text
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
