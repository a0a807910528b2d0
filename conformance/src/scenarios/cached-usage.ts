import { unless } from '../check.ts'
import type { Scenario } from '../scenario.ts'
import { answer, say } from '../script-parts.ts'

export const cachedUsage: Scenario = {
  id: 'cached-usage',
  title: 'The provider had a part of the input in its cache, without being asked to: it is told, and counted once.',
  appliesTo: { requires: ['streamUsage'] },
  script: [
    {
      ...answer(say('In Zürich wie in 東京: 7 °C ☀️.')),
      usage: { inputTokens: 2100, outputTokens: 40, cachedInputTokens: 1900 },
    },
  ],
  golden: `
    run 1
      step 1 stop
        text
      completed answer
  `,
  async run({ run }) {
    await run('Wie ist das Wetter in Zürich und 東京?')
  },
  checks: [
    {
      id: 'cached-told',
      isOfScript: true,
      sentence: 'Cached tokens are told, and are a part of the input tokens.',
      judge: ({ runs }) => {
        const { inputTokens, cachedInputTokens } = runs[0]?.result?.usage ?? {}
        const message = `${cachedInputTokens} of ${inputTokens} input tokens were cached; the provider counted 1900 of 2100`
        return unless(inputTokens === 2100 && cachedInputTokens === 1900, message, 'run 1')
      },
    },
  ],
}
