import { unless } from '../check.ts'
import type { Scenario } from '../scenario.ts'
import { answer, say } from '../script-parts.ts'

export const abortMidStream: Scenario = {
  id: 'abort-mid-stream',
  title: 'The caller aborts at the first words: the run settles, and nothing more is delivered or asked.',
  appliesTo: { modes: { generate: 'An answer that comes in one piece has no middle.' } },
  script: [answer(say('Es war einmal in Zürich, da fuhr ein Zug nach 東京 🚄 …'))],
  golden: `
    run 1
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
