import type { Transcript } from '@steploop/core'
import type { Check } from '../check.ts'
import type { Scenario } from '../scenario.ts'
import { answer, say } from '../script-parts.ts'
import { clientOwned } from '../play/local-tools.ts'

const toolCallId = 'call_from_elsewhere_1'

/** What another process left behind: written by hand, so no provider has stamped it. */
const transcript: Transcript = {
  version: 1,
  id: 'conversation-of-another-process',
  messages: [
    { role: 'user', content: 'Wo ist meine Bestellung ZH-1001? 📦' },
    {
      role: 'assistant',
      content: [
        {
          type: 'tool-call',
          toolCallId,
          toolName: 'lookup_order',
          input: { id: 'ZH-1001' },
          inputText: '{"id":"ZH-1001"}',
          owner: 'client',
        },
      ],
    },
  ],
  pendingCalls: [{ toolCallId, toolName: 'lookup_order', input: { id: 'ZH-1001' }, reason: 'client-tool' }],
}

const callIsThere: Check = {
  id: 'call-is-there',
  sentence: 'The call that the output answers is in the body, or covered by the continuation id.',
  judge: ({ runs }) => {
    const view = runs[0]?.requests[0]?.view
    if (view === undefined || view.continuation !== undefined) return []
    const called = view.items.some((item) => item.type === 'call' && item.toolName === 'lookup_order')
    return called ? [] : [{ message: 'the body has the output of `lookup_order` but not its call', where: 'request 1' }]
  },
}

const outputArrives: Check = {
  id: 'output-arrives',
  sentence: 'The output of the caller reaches the model, and nothing is said in the name of the user.',
  judge: ({ runs }) => {
    const view = runs[0]?.requests[0]?.view
    if (view === undefined) return []
    const { items } = view
    const results = items.filter((item) => item.type === 'result')
    const users = items.filter((item) => item.type === 'user')
    const wrong = results.length === 1 && results[0]?.text.includes('unterwegs nach 東京') === true ? [] : results
    return [
      ...(results.length === 0 ? [{ message: 'the output is missing', where: 'request 1' }] : []),
      ...wrong.map(({ text, path }) => ({
        message: `the output reads ${JSON.stringify(text)}`,
        where: `request 1, ${path}`,
      })),
      ...users.slice(1).map(({ path }) => ({ message: 'a user message was invented', where: `request 1, ${path}` })),
    ]
  },
}

export const toolOutputOnly: Scenario = {
  id: 'tool-output-only',
  title: 'A run that starts with the output of a pending call and no user message.',
  appliesTo: { requires: ['tools'] },
  script: [answer(say('Deine Bestellung ist unterwegs nach 東京 📦.'))],
  golden: `
    run 1
      step 1 stop
        text
      completed answer
  `,
  async run({ run, tools }) {
    await run(
      { transcript, toolOutputs: { [toolCallId]: { output: { id: 'ZH-1001', status: 'unterwegs nach 東京' } } } },
      { tools: { lookup_order: clientOwned(tools().lookup_order) } },
    )
  },
  checks: [callIsThere, outputArrives],
}
