import { unless } from '../check.ts'
import { allRequests } from '../evidence.ts'
import type { Scenario } from '../scenario.ts'
import { answer, say } from './script-parts.ts'

const text = 'Grüezi aus Zürich! In 東京 ist es schon Abend 🌇, und „morgen“ heisst dort 明日.'

export const textOnly: Scenario = {
  id: 'text-only',
  title: 'One question, one answer in plain text.',
  needs: [],
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
  checks: [
    {
      id: 'text-arrives-whole',
      sentence: 'The text is what the model said, character by character.',
      judge: ({ runs }) => {
        const got = runs[0]?.result?.text
        return unless(
          got === text,
          `the text of the run is ${JSON.stringify(got)}, the model said ${JSON.stringify(text)}`,
        )
      },
    },
    {
      id: 'one-request',
      sentence: 'An answer without calls takes one request.',
      judge: (evidence) => {
        const count = allRequests(evidence).length
        return unless(count === 1, `${count} requests were made; an answer without calls ends the run`)
      },
    },
    {
      id: 'no-tools-in-body',
      sentence: 'Without tools the body has neither `tools` nor a tool choice.',
      judge: (evidence) =>
        allRequests(evidence).flatMap(({ view }, index) =>
          ['tools', 'tool_choice', 'toolChoice', 'tool_config', 'parallel_tool_calls']
            .filter((name) => view?.head[name] !== undefined)
            .map((name) => ({
              message: `the body has \`${name}\`, although the run has no tools`,
              where: `request ${index + 1}`,
            })),
        ),
    },
    {
      id: 'instructions-arrive',
      sentence: 'Instructions reach the model.',
      judge: (evidence) =>
        allRequests(evidence).flatMap(({ view }, index) =>
          unless(
            view === undefined || view.instructions === 'Antworte kurz, auf Deutsch 🇨🇭.',
            `the instructions in the body are ${JSON.stringify(view?.instructions)}`,
            `request ${index + 1}`,
          ),
        ),
    },
  ],
}
