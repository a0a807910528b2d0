import { unless } from '../check.ts'
import type { Scenario } from '../scenario.ts'
import { counters } from '../scenario-parts/run-counters.ts'
import { answer, say } from '../script-parts.ts'

const begun = 'Ich suche noch in Zürich und 東京 🔎 …'

export const pauseTurn: Scenario = {
  id: 'pause-turn',
  title: 'A turn that the provider pauses is sent back as it is, and goes on.',
  appliesTo: { requires: ['tools', 'pause'] },
  script: [{ ...answer(say(begun)), finish: 'pause' }, answer(say('Gefunden: beide haben einen Turm 🗼.'))],
  golden: `
    run 1
      step 1 pause
        text
      step 2 stop
        text
      completed answer
  `,
  async run({ run, tools }) {
    const { get_weather } = tools()
    await run('Was haben Zürich und 東京 gemeinsam?', { tools: { get_weather } })
  },
  checks: [
    counters({ requests: 2, executions: 0 }),
    {
      id: 'sent-back-as-it-is',
      sentence: 'The second request ends with the paused turn, and says nothing in the name of the user.',
      judge: ({ runs }) => {
        const items = runs[0]?.requests[1]?.view?.items
        const last = items?.at(-1)
        const holds = items === undefined || (last?.type === 'text' && last.text === begun)
        return unless(holds, `the last item is ${JSON.stringify(last)}`, 'run 1, request 2')
      },
    },
  ],
}
