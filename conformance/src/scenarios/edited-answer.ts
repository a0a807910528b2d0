import type { Message } from '@steploop/core'
import type { Check } from '../check.ts'
import { transcriptOf, type Scenario } from '../scenario.ts'
import { counters } from '../scenario-parts/run-counters.ts'
import { answer, say } from '../script-parts.ts'

const said = 'Die Nummer in Zürich ist 044-555-0142 ☎️.'
const redacted = 'Die Nummer in Zürich ist [entfernt].'

const newTextOnly: Check = {
  id: 'new-text-only',
  sentence: 'Every later body holds the text as the application changed it, and nothing of the old one.',
  judge: ({ runs }) =>
    (runs[1]?.requests ?? []).flatMap(({ text }, index) => [
      ...(text.includes('044-555-0142')
        ? [{ message: 'the text that was taken out is sent', where: `run 2, request ${index + 1}` }]
        : []),
      ...(text.includes('[entfernt]')
        ? []
        : [{ message: 'the changed text is not sent', where: `run 2, request ${index + 1}` }]),
    ]),
}

export const editedAnswer: Scenario = {
  id: 'edited-answer',
  title: 'The application takes something out of what the model said, and goes on: the old words never leave again.',
  // What the provider knew of the text cannot go with another one.
  mayLose: ['messages', 'assistant'],
  script: [answer(say(said)), answer(say('In 東京 ist sie eine andere ☎️.'))],
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
  async run({ run }) {
    const { messages } = transcriptOf(await run('Welche Nummer hat das Büro in Zürich?'))
    const changed = messages.map((message): Message => {
      if (message.role !== 'assistant') return message
      const content = message.content.map((part) =>
        part.type === 'text' && part.text !== '' ? { ...part, text: redacted } : part,
      )
      return { ...message, content }
    })
    await run({ messages: [...changed, { role: 'user', content: 'Und in 東京?' }] })
  },
  checks: [counters({ requests: 1, executions: 0 }, { requests: 1, executions: 0 }), newTextOnly],
}
