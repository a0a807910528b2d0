import { unless } from '../check.ts'
import { allRequests } from '../evidence.ts'
import type { Scenario } from '../scenario.ts'
import { counters } from '../scenario-parts/run-counters.ts'
import { answer, say } from '../script-parts.ts'

export const keyVariable: Scenario = {
  id: 'key-variable',
  title: 'No key is given: the adapter finds it in the environment variable of its provider.',
  appliesTo: { requires: ['apiKeyVariable'] },
  script: [answer(say('Guten Tag aus Zürich und 東京 🔑.'))],
  golden: `
    run 1
      step 1 stop
        text
      completed answer
  `,
  async run({ run, keyless }) {
    const model = keyless()
    await run('Grüezi 東京', { prepareStep: () => ({ model }) })
  },
  checks: [
    counters({ requests: 1, executions: 0 }),
    {
      id: 'key-sent',
      isOfScript: true,
      sentence: 'The key of the variable goes with the request.',
      judge: (evidence) => {
        const [request] = allRequests(evidence)
        const isSent = Object.values(request?.headers ?? {}).some((value) => value.includes(evidence.canary))
        return unless(isSent, 'no header holds the key', 'request 1')
      },
    },
  ],
}
