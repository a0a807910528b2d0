import type { Message } from '@steploop/core'
import { unless, type Check } from '../check.ts'
import { counters } from '../scenario-parts/run-counters.ts'
import { asksTwice } from '../scenario-parts/asks.ts'
import { answeredTwice } from '../scenario-parts/goldens.ts'
import { transcriptOf, type Scenario } from '../scenario.ts'
import { answer, say } from '../script-parts.ts'

const words = 'Das kann ich für Zürich nicht tun 🙅, auch nicht für 東京.'

const refusalReported: Check = {
  id: 'refusal-reported',
  isOfScript: true,
  sentence: 'The refusal arrives word by word as one, in events and in the message, and is no part of the text.',
  judge: ({ runs, mode }) => {
    const [run] = runs
    const content = run?.result?.steps[0]?.message.content ?? []
    const kept = content.flatMap((part) => (part.type === 'refusal' ? [part.text] : [])).join('')
    const reported = (run?.events ?? [])
      .flatMap((event) => (event.type === 'refusal-delta' ? [event.text] : []))
      .join('')
    const text = run?.result?.text ?? ''
    return [
      ...unless(kept === words, `the message holds the refusal ${JSON.stringify(kept)}`, 'run 1, step 1'),
      ...unless(
        mode === 'generate' || reported === words,
        `events tell the refusal ${JSON.stringify(reported)}`,
        'run 1',
      ),
      ...unless(text === '', `the text of the run is ${JSON.stringify(text)}`, 'run 1'),
    ]
  },
}

const refusal: Scenario = {
  id: 'refusal',
  title: 'The model declines in words of its own, which are no answer; the conversation goes on after it.',
  script: [answer({ type: 'refusal', text: words }), answer(say('Gern, in Zürich sind es 7 °C ☀️.'))],
  golden: `
    run 1
      step 1 stop: refusal
      completed answer
    run 2
      step 1 stop: text
      completed answer
  `,
  run: asksTwice('Hilf mir bei etwas Verbotenem in 東京', 'Dann eben das Wetter in Zürich'),
  checks: [counters({ requests: 1, executions: 0 }, { requests: 1, executions: 0 }), refusalReported],
}

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

const editedAnswer: Scenario = {
  id: 'edited-answer',
  title: 'The application takes something out of what the model said, and goes on: the old words never leave again.',
  // What the provider knew of the text cannot go with another one.
  mayLose: ['messages', 'assistant'],
  script: [answer(say(said)), answer(say('In 東京 ist sie eine andere ☎️.'))],
  golden: answeredTwice,
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

export const refusalAndEditScenarios: readonly Scenario[] = [refusal, editedAnswer]
