import { unless } from '../check.ts'
import type { Scenario } from '../scenario.ts'
import { answer, say } from '../script-parts.ts'

const thought = 'Zürich liegt an der Limmat 🏞️, 東京 am Meer.'
const said = 'Zürich hat einen See, 東京 eine Bucht 🌊.'

export const reasoningText: Scenario = {
  id: 'reasoning-text',
  title: 'Thoughts come apart from the answer, and before it.',
  appliesTo: { requires: ['reasoning'] },
  script: [answer({ type: 'reasoning', text: thought }, say(said))],
  golden: `
    run 1
      step 1 stop
        reasoning
        text
      completed answer
  `,
  async run({ run }) {
    await run('Was haben Zürich und 東京 gemeinsam?', { reasoning: 'low' })
  },
  checks: [
    {
      id: 'thought-apart',
      isOfScript: true,
      sentence: 'The thought is what the model thought, or hidden as a whole, and the answer is what it said.',
      judge: ({ runs }) => {
        const parts = runs[0]?.result?.steps[0]?.message.content ?? []
        const thoughts = parts.flatMap((part) => (part.type === 'reasoning' ? [part.text] : [])).join('')
        const { text } = runs[0]?.result ?? {}
        return [
          ...unless(
            thoughts === thought || thoughts === '',
            `the thought is ${JSON.stringify(thoughts)}`,
            'run 1, step 1',
          ),
          ...unless(text === said, `the answer is ${JSON.stringify(text)}`, 'run 1, step 1'),
        ]
      },
    },
    {
      id: 'reasoning-tokens',
      sentence: 'Tokens of the thought are counted, as a part of the output tokens.',
      judge: ({ runs }) => {
        const { reasoningTokens = 0, outputTokens = 0 } = runs[0]?.result?.usage ?? {}
        const holds = reasoningTokens > 0 && reasoningTokens <= outputTokens
        return unless(holds, `${reasoningTokens} reasoning tokens of ${outputTokens} output tokens`, 'run 1')
      },
    },
  ],
}
