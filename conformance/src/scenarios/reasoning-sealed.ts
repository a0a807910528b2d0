import { unless } from '../check.ts'
import type { Scenario } from '../scenario.ts'
import { answer, call, say } from '../script-parts.ts'
import { sealsReplayed } from './reasoning-replay.ts'

export const reasoningSealed: Scenario = {
  id: 'reasoning-sealed',
  title: 'A thought before a call that only the provider can read: it is kept, and goes back as it came.',
  appliesTo: { requires: ['tools', 'reasoning', 'reasoningReplay'] },
  onlySimulated: 'a real provider does not seal a thought on demand',
  script: [
    answer(
      { type: 'reasoning', text: 'Das bleibt unter uns 🤐.', sealed: true },
      call('get_weather', { city: 'Zürich' }),
    ),
    answer(say('In Zürich sind es 7 °C ☀️, in 東京 ist es spät.')),
  ],
  golden: `
    run 1
      step 1 tool-calls
        reasoning|opaque
        call get_weather {"city":"Zürich"} by loop
        result get_weather json
      step 2 stop
        text
      completed answer
  `,
  async run({ run, tools }) {
    const { get_weather } = tools()
    await run('Wetter in Zürich und 東京?', { tools: { get_weather }, reasoning: 'low' })
  },
  checks: [
    sealsReplayed,
    {
      id: 'seal-kept',
      isOfScript: true,
      sentence: 'The part of the thought holds what the provider wants back, and no text.',
      judge: ({ runs }) => {
        const parts = runs[0]?.result?.steps[0]?.message.content ?? []
        const thought = parts.find(({ type }) => type === 'reasoning' || type === 'opaque')
        const text = thought?.type === 'reasoning' ? thought.text : ''
        return unless(
          thought?.providerMetadata !== undefined && text === '',
          `the thought is ${JSON.stringify(thought)}`,
          'run 1, step 1',
        )
      },
    },
  ],
}
