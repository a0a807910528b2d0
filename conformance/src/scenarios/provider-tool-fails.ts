import { unless, type Check } from '../check.ts'
import { stored, transcriptOf, type Scenario } from '../scenario.ts'
import { answer, say } from '../script-parts.ts'
import { wireKit } from '../wires/index.ts'
import { counters } from '../scenario-parts/run-counters.ts'
import { textsIn } from '../scenario-parts/texts-in.ts'
import { toldBy } from './provider-tool.ts'

const code = 'print(1 / 0)  # Höhe geteilt durch nichts 🗼'

const failureTold: Check = {
  id: 'failure-told',
  sentence: 'The result of the call says that it failed.',
  judge: ({ runs }) => {
    const events = runs[0]?.turns[0]?.events ?? []
    const results = events.flatMap((event) => (event.type === 'tool-result' ? [event.output] : []))
    const holds = results.length === 1 && /error|fail|unavailable/i.test(JSON.stringify(results[0]))
    return unless(holds, `the results are ${JSON.stringify(results)}`, 'run 1, turn 1')
  },
}

const replayed: Check = {
  id: 'replayed-as-it-was',
  sentence: 'The call, what rode on it and the failure are in the later body, word by word.',
  judge: ({ runs, subject }) => {
    const body = runs[1]?.requests[0]?.body
    if (body === undefined) return []
    const sent = textsIn(body)
    const rider = wireKit(subject.wire)?.samples?.rider
    const expected = [code, ...(rider === undefined ? [] : [rider]), ...toldBy(runs[0]?.turns[0]?.events ?? [])]
    return [...new Set(expected)]
      .filter((text) => text !== '' && !sent.includes(text))
      .map((text) => ({ message: `the body does not hold '${text.slice(0, 60)}'`, where: 'run 2, request 1' }))
  },
}

export const providerToolFails: Scenario = {
  id: 'provider-tool-fails',
  title: 'Code that the provider runs fails: it is told, the answer goes on, and the failure goes back as it came.',
  appliesTo: {
    requires: ['providerTools'],
    stressors: {
      noise: 'Noise turns the keys of every object round, and inputs of these calls are objects on some wires.',
    },
  },
  onlySimulated: 'no tool of a real provider fails on demand',
  script: [
    answer(
      { type: 'provider-call', tool: 'code', text: code, output: 'ZeroDivisionError', fails: true },
      say('Durch nichts lässt sich in Zürich nicht teilen.'),
    ),
    answer(say('In 東京 auch nicht 🙅.')),
  ],
  golden: `
    run 1
      step 1 stop
        call by provider
        tool-result
        text
      completed answer
    run 2
      step 1 stop
        text
      completed answer
  `,
  async run({ run, providerTools: tools }) {
    const first = await run('Wie hoch ist der Turm, geteilt durch nichts?', { tools })
    await run({ transcript: stored(transcriptOf(first)), prompt: 'Und in 東京?' }, { tools })
  },
  checks: [counters({ requests: 1, executions: 0 }, { requests: 1, executions: 0 }), failureTold, replayed],
}
