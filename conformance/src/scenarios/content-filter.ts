import { unless } from '../check.ts'
import type { Scenario } from '../scenario.ts'
import { counters } from './parts/run-counters.ts'
import { answer, say } from '../script-parts.ts'

const silent = 'This wire has no word for an answer that a filter stops.'

const unnamed = 'None of this provider’s finish reasons stands for a filter.'

export const contentFilter: Scenario = {
  id: 'content-filter',
  title: 'A filter stops the answer: an outcome with a name, not an empty success.',
  needs: [],
  notOver: { 'ollama-chat': silent, 'openai-chat/groq': unnamed, 'openai-chat/mistral': unnamed },
  script: [{ ...answer(say('Zuerst nehmen Sie in Zürich 🚫')), finish: 'content-filter' }],
  golden: `
    run 1
      step 1 content-filter
        text
      completed content-filter
  `,
  async run({ run }) {
    await run('Etwas Verbotenes über 東京?')
  },
  checks: [
    counters({ requests: 1, executions: 0 }),
    {
      id: 'raw-reason-kept',
      sentence: 'The provider’s own word for it is kept.',
      judge: ({ runs }) => {
        const raw = runs[0]?.result?.steps[0]?.rawFinishReason ?? ''
        return unless(raw !== '', 'the raw finish reason is lost', 'run 1, step 1')
      },
    },
  ],
}
