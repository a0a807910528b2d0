import type { Check } from '../check.ts'
import { unless } from '../check.ts'
import { stored, transcriptOf, type Scenario } from '../scenario.ts'
import { canonicalJson } from '../json.ts'
import { answer, call, say } from '../script-parts.ts'
import { clientOwned } from '../play/local-tools.ts'

const suspends: Check = {
  id: 'suspends-with-the-call',
  sentence: 'The run suspends with the pending call and its input, after one request.',
  judge: ({ runs }) => {
    const pending = runs[0]?.result?.transcript.pendingCalls ?? []
    const words = pending.map(({ toolName, input, reason }) => `${toolName} ${canonicalJson(input)} (${reason})`).join()
    const expected = 'lookup_order {"id":"ZH-1001"} (client-tool)'
    return [
      ...unless(words === expected, `pending is '${words}', not '${expected}'`, 'run 1'),
      ...unless(
        runs[0]?.requests.length === 1,
        `${runs[0]?.requests.length} requests were made before the caller answered`,
        'run 1',
      ),
    ]
  },
}

const outputArrives: Check = {
  id: 'output-arrives',
  sentence: 'The caller’s output is the result of its call in the resumed request.',
  judge: ({ runs }) => {
    const items = runs[1]?.requests[0]?.view?.items
    if (items === undefined) return []
    const texts = items.flatMap((item) => (item.type === 'result' ? [item.text] : []))
    return unless(
      texts.length === 1 && texts[0] === 'liegt im Zoll von 東京 🛃',
      `the resumed request holds the results ${JSON.stringify(texts)}`,
      'run 2, request 1',
    )
  },
}

export const clientTool: Scenario = {
  id: 'client-tool',
  title: 'A tool that the caller answers: the run suspends, is stored as JSON, and resumes with the output.',
  appliesTo: { requires: ['tools'] },
  script: [answer(call('lookup_order', { id: 'ZH-1001' })), answer(say('ZH-1001 liegt im Zoll von 東京 🛃.'))],
  golden: `
    run 1
      step 1 tool-calls
        call lookup_order {"id":"ZH-1001"} by client
      requires-action client-tool
        pending lookup_order
    run 2
      step 1 stop
        text
      completed answer
  `,
  async run({ run, tools }) {
    const options = { tools: { lookup_order: clientOwned(tools().lookup_order) } }
    const transcript = stored(transcriptOf(await run('Wo ist ZH-1001? 📦', options)))
    const id = transcript.pendingCalls[0]?.toolCallId ?? 'none pending'
    await run({ transcript, toolOutputs: { [id]: { output: 'liegt im Zoll von 東京 🛃' } } }, options)
  },
  checks: [suspends, outputArrives],
}
