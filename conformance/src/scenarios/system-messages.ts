import type { Message } from '@steploop/core'
import type { Check } from '../check.ts'
import type { Scenario } from '../scenario.ts'
import { textsIn } from '../scenario-parts/texts-in.ts'
import { counters } from '../scenario-parts/run-counters.ts'
import { oneCall } from '../scenario-parts/one-call.ts'

const first = 'Du bist ein Reiseführer 🧭 für Zürich.'
const late = 'Ab jetzt in 東京-Zeit antworten ⏰.'

const history: readonly Message[] = [
  { role: 'system', content: first },
  { role: 'user', content: 'Wer bist du?' },
  { role: 'assistant', content: [{ type: 'text', text: 'Ein Reiseführer für Zürich.' }] },
  { role: 'system', content: late },
  { role: 'user', content: 'Wie ist das Wetter in Zürich?' },
]

const arriveOnce: Check = {
  id: 'system-arrives-once',
  sentence: 'Each system message is in every body once, the first one before all that was said.',
  judge: ({ runs }) =>
    (runs[0]?.requests ?? []).flatMap(({ body }, index) => {
      const where = `request ${index + 1}`
      const texts = textsIn(body)
      const at = (text: string): number => texts.findIndex((one) => one.includes(text))
      const failures = [first, late].flatMap((text) => {
        const count = texts.filter((one) => one.includes(text)).length
        return count === 1 ? [] : [{ message: `'${text}' is in the body ${count} times`, where }]
      })
      const question = at('Wer bist du?')
      const isOrdered = failures.length > 0 || at(late) < at('Wie ist das Wetter') || at(late) < question
      return isOrdered ? failures : [{ message: `'${late}' stands after what the user said next`, where }]
    }),
}

export const systemMessages: Scenario = {
  id: 'system-messages',
  title: 'A history with system messages, one at its beginning and one amid it: both reach the model in every turn.',
  appliesTo: {
    requires: ['tools'],
    stressors: {
      'hand-over':
        'Some formats have a system message as words of the user, which the comparison of histories does not know.',
    },
  },
  // Not every provider takes one amid a conversation.
  mayLose: ['messages'],
  ...oneCall('In Zürich sind es 7 °C ☀️, 東京-Zeit 15:00.'),
  async run({ run, tools }) {
    const { get_weather } = tools()
    await run({ messages: history }, { tools: { get_weather } })
  },
  checks: [counters({ requests: 2, executions: 1 }), arriveOnce],
}
