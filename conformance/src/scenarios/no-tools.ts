import { allRequests } from '../evidence.ts'
import type { Scenario } from '../scenario.ts'
import { answer, say } from '../script-parts.ts'

const names = ['tools', 'tool_choice', 'parallel_tool_calls']

export const noTools: Scenario = {
  id: 'no-tools',
  title: 'An empty set of tools, and tools none of which is active, are no tools.',
  script: [answer(say('Grüezi aus Zürich 👋')), answer(say('Und aus 東京 👋'))],
  golden: `
    run 1
      step 1 stop
        text
      completed answer
    run 2
      step 1 stop
        text
      completed answer
  `,
  async run({ run, tools }) {
    await run('Sag Grüezi aus Zürich.', { tools: {} })
    await run('Und aus 東京?', { tools: { get_weather: tools().get_weather }, activeTools: [], toolChoice: 'auto' })
  },
  checks: [
    {
      id: 'no-keys',
      sentence: 'The body has neither tools nor anything about choosing them.',
      judge: (evidence) =>
        allRequests(evidence).flatMap(({ view }, index) =>
          names
            .filter((name) => view?.head[name] !== undefined)
            .map((name) => ({ message: `the body has \`${name}\``, where: `request ${index + 1}` })),
        ),
    },
  ],
}
