import { unless } from '../check.ts'
import { unread } from '../judge/request-checks.ts'
import type { Scenario } from '../scenario.ts'
import { oneCall } from '../scenario-parts/one-call.ts'

const added = 'Und bitte auch für 東京 🗼.'

export const continuationEdited: Scenario = {
  id: 'continuation-edited',
  title: 'The history is edited between two steps: the provider’s copy is no longer the conversation.',
  appliesTo: {
    requires: ['tools', 'continuation'],
    stressors: { resume: 'The edit belongs to a step of its run, and a run that is resumed has another one.' },
  },
  ...oneCall('Zürich und 東京 haben 7 °C ☀️.'),
  async run({ run, tools, provider }) {
    const { get_weather } = tools()
    await run('Wetter in Zürich?', {
      tools: { get_weather },
      providerOptions: { [provider]: { store: true } },
      prepareStep: ({ step, messages }) =>
        step === 1 ? { messages: [...messages, { role: 'user', content: added }] } : undefined,
    })
  },
  checks: [
    {
      id: 'whole-history-again',
      notSeen: unread,
      sentence: 'The request after the edit names no response and holds the whole conversation, as edited.',
      judge: ({ runs }) => {
        const view = runs[0]?.requests[1]?.view
        const kinds = view?.items.map(({ type }) => type).join()
        return [
          ...unless(view?.continuation === undefined, 'the request names a response', 'request 2'),
          ...unless(kinds === 'user,call,result,user', `the items are ${kinds}`, 'request 2'),
        ]
      },
    },
  ],
}
