import { unless } from '../check.ts'
import type { Scenario } from '../scenario.ts'
import { counters, everyCallAnswered } from '../scenario-parts/run-counters.ts'
import { answer, call, say } from '../script-parts.ts'
import { typedFailure } from '../scenario-parts/typed-failure.ts'

const broken = {
  type: 'failure',
  failure: 'server-error',
  place: 'body',
  after: [say('In 東京 🗼 ist es gerade …')],
} as const

export const errorMidStream: Scenario = {
  id: 'error-mid-stream',
  title: 'A stream ends with an error after its first words: asked again, or failed, but never half an answer.',
  appliesTo: { requires: ['tools'], modes: { generate: 'A body that is not streamed has no middle.' } },
  script: [
    answer(call('get_weather', { city: 'Zürich' })),
    broken,
    broken,
    answer(say('Jetzt ganz: In 東京 ist es Mittag 🕛.')),
  ],
  golden: `
    run 1
      step 1 tool-calls
        call get_weather {"city":"Zürich"} by loop
        result get_weather json
      failed turn-failed from server-error
    run 2
      step 1 stop
        text
      completed answer
  `,
  async run({ run, tools, clock: staged }) {
    const clock = staged()
    const { get_weather } = tools()
    await run('Wetter in Zürich, dann in 東京?', { tools: { get_weather }, clock, maxRetries: 0 })
    await run('Und jetzt?', { tools: { get_weather }, clock, maxRetries: 1 })
  },
  checks: [
    counters({ requests: 2, executions: 1 }, { requests: 2, executions: 0 }),
    typedFailure({ code: 'server-error' }),
    everyCallAnswered,
    {
      id: 'told-to-discard',
      sentence: 'Who has seen the first words is told once, before the new ones come, to forget them.',
      judge: ({ runs }) => {
        const types = (runs[1]?.events ?? []).map(({ type }) => type)
        const at = types.indexOf('step-retry')
        const once = at === types.lastIndexOf('step-retry') && at > types.indexOf('text-delta')
        return unless(at !== -1 && once, `\`step-retry\` stands at ${at} in ${types.join(', ')}`, 'run 2')
      },
    },
  ],
}
