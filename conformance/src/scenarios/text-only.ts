import type { Scenario } from '../scenario.ts'
import { counters } from '../scenario-parts/run-counters.ts'
import { saysAll } from '../scenario-parts/says-all.ts'
import { answer, say } from '../script-parts.ts'

const text = 'Grüezi aus Zürich! In 東京 ist es schon Abend 🌇, und „morgen“ heisst dort 明日.'

export const textOnly: Scenario = {
  id: 'text-only',
  title: 'One question, one answer in plain text.',
  script: [answer(say(text))],
  golden: `
    run 1
      step 1 stop
        text
      completed answer
  `,
  async run({ run }) {
    await run('Sag mir guten Tag aus Zürich und 東京.', { instructions: 'Antworte kurz, auf Deutsch 🇨🇭.' })
  },
  checks: [counters({ requests: 1, executions: 0 }), saysAll(text)],
}
