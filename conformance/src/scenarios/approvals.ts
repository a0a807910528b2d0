import { unless } from '../check.ts'
import { canonicalJson } from '../json.ts'
import { clientOwned } from '../scenario-parts/local-tools.ts'
import { asksAndAnswers } from '../scenario-parts/asks.ts'
import { counters, everyCallAnswered } from '../scenario-parts/run-counters.ts'
import { stored, transcriptOf, type Scenario } from '../scenario.ts'
import { answer, call, say } from '../script-parts.ts'

const approvalGranted: Scenario = {
  id: 'approval-granted',
  title: 'A call that needs approval waits, is approved after the run was stored, and runs once.',
  appliesTo: { requires: ['tools'] },
  script: [answer(call('restart_job', { job: 'nachtlauf-東京' })), answer(say('nachtlauf-東京 läuft wieder 🔁.'))],
  golden: `
    run 1
      step 1 tool-calls: call restart_job {"job":"nachtlauf-東京"} by loop
      requires-action approval
        pending restart_job
    run 2
      step 1 stop: text
      completed answer
  `,
  run: asksAndAnswers('Starte nachtlauf-東京 neu 🔁', ({ restart_job }) => ({ restart_job }), { approved: true }),
  checks: [
    counters({ requests: 1, executions: 0 }, { requests: 1, executions: 1 }),
    everyCallAnswered,
    {
      id: 'result-arrives',
      sentence: 'The model gets what the tool returned after the approval.',
      judge: ({ runs }) => {
        const items = runs[1]?.requests[0]?.view?.items
        const reported = items?.some((item) => item.type === 'result' && item.text.includes('"restarted"'))
        return unless(reported !== false, 'no result of the resumed request is that of the tool', 'run 2, request 1')
      },
    },
  ],
}

const reason = 'Nicht während der Börsenzeit von 東京 📈'

const approvalDenied: Scenario = {
  id: 'approval-denied',
  title: 'Of two calls that wait, one is denied first and the other approved later: partial answers are legal.',
  appliesTo: { requires: ['tools', 'parallel'] },
  script: [
    answer(call('restart_job', { job: 'kurse' }), call('restart_job', { job: 'archiv-Zürich' })),
    answer(say('archiv-Zürich läuft wieder, kurse bleibt, wie es ist 📈.')),
  ],
  golden: `
    run 1
      step 1 tool-calls: call restart_job {"job":"kurse"} by loop + call restart_job {"job":"archiv-Zürich"} by loop
      requires-action approval
        pending restart_job
        pending restart_job
    run 2
      requires-action approval
        pending restart_job
    run 3
      step 1 stop: text
      completed answer
  `,
  async run({ run, tools }) {
    const { restart_job } = tools()
    const options = { tools: { restart_job } }
    const first = stored(transcriptOf(await run('Starte kurse und archiv-Zürich neu 🔁', options)))
    const [denied, granted] = first.pendingCalls.map(({ toolCallId }) => toolCallId)
    const toolOutputs = { [denied ?? 'none pending']: { approved: false, reason } as const }
    const second = stored(transcriptOf(await run({ transcript: first, toolOutputs }, options)))
    await run({ transcript: second, toolOutputs: { [granted ?? 'none pending']: { approved: true } } }, options)
  },
  checks: [
    counters({ requests: 1, executions: 0 }, { requests: 0, executions: 0 }, { requests: 1, executions: 1 }),
    everyCallAnswered,
    {
      id: 'denial-reaches-the-model',
      sentence: 'The model is told of the denial with the caller’s reason, in the place of that call.',
      judge: ({ runs }) => {
        const items = runs[2]?.requests[0]?.view?.items
        const texts = items?.flatMap((item) => (item.type === 'result' ? [item.text] : [])) ?? []
        const reported = texts[0]?.includes('denied') === true && texts[0].includes(reason)
        return unless(items === undefined || reported, `the results are ${JSON.stringify(texts)}`, 'run 3, request 1')
      },
    },
  ],
}

const approvalEdited: Scenario = {
  id: 'approval-edited',
  title: 'The caller approves a call with another input: that one runs, and the conversation goes on.',
  appliesTo: { requires: ['tools'] },
  script: [
    answer(call('restart_job', { job: 'alles' })),
    answer(say('Ich habe nur testlauf-Zürich neu gestartet 🔁.')),
  ],
  golden: `
    run 1
      step 1 tool-calls: call restart_job {"job":"alles"} by loop
      requires-action approval
        pending restart_job
    run 2
      step 1 stop: text
      completed answer
  `,
  run: asksAndAnswers('Starte alles neu, auch in 東京 🔁', ({ restart_job }) => ({ restart_job }), {
    approved: true,
    input: { job: 'testlauf-Zürich' },
  }),
  checks: [
    counters({ requests: 1, executions: 0 }, { requests: 1, executions: 1 }),
    everyCallAnswered,
    {
      id: 'runs-as-edited',
      sentence: 'The tool gets the caller’s input, not the model’s.',
      judge: ({ runs }) => {
        const inputs = (runs[1]?.executions ?? []).map(({ input }) => canonicalJson(input))
        return unless(
          inputs.join() === '{"job":"testlauf-Zürich"}',
          `the tool ran with ${inputs.join(' and ') || 'nothing'}`,
          'run 2',
        )
      },
    },
  ],
}

const approveAll: Scenario = {
  id: 'approve-all',
  title:
    'All approvals are given at once: what the caller has to answer still waits, and a tool that is gone is unknown.',
  appliesTo: { requires: ['tools', 'parallel'] },
  script: [
    answer(
      call('restart_job', { job: 'nachtlauf-東京' }),
      call('lookup_order', { id: 'ZH-1001' }),
      call('restart_job', { job: 'frühlauf-Zürich' }),
    ),
    answer(say('ZH-1001 liegt im Zoll von 東京 🛃, und neu starten kann ich nichts mehr.')),
  ],
  golden: `
    run 1
      step 1 tool-calls
        call restart_job {"job":"nachtlauf-東京"} by loop
        call lookup_order {"id":"ZH-1001"} by client
        call restart_job {"job":"frühlauf-Zürich"} by loop
      requires-action client-tool
        pending restart_job
        pending lookup_order
        pending restart_job
    run 2
      requires-action client-tool
        pending lookup_order
    run 3
      step 1 stop: text
      completed answer
  `,
  async run({ run, tools }) {
    const { restart_job, lookup_order } = tools()
    const own = { lookup_order: clientOwned(lookup_order) }
    const first = await run('Starte beide Läufe neu, und wo ist ZH-1001?', { tools: { ...own, restart_job } })
    const toolOutputs = { '*': { approved: true } } as const
    const second = await run({ transcript: stored(transcriptOf(first)), toolOutputs }, { tools: own })
    const transcript = stored(transcriptOf(second))
    const id = transcript.pendingCalls[0]?.toolCallId ?? 'none pending'
    await run({ transcript, toolOutputs: { [id]: { output: 'liegt im Zoll von 東京 🛃' } } }, { tools: own })
  },
  checks: [
    counters({ requests: 1, executions: 0 }, { requests: 0, executions: 0 }, { requests: 1, executions: 0 }),
    everyCallAnswered,
    {
      id: 'gone-is-unknown',
      sentence: 'The model is told of both calls that their tool is not there.',
      judge: ({ runs }) => {
        const results = (runs[2]?.turns[0]?.request.messages ?? []).flatMap((message) =>
          message.role === 'tool' ? message.content : [],
        )
        const reported = results.map(({ output }) => (output.type === 'error' ? output.value.code : output.type))
        const holds = reported.join() === 'unknown-tool,text,unknown-tool'
        return holds ? [] : [{ message: `the results are ${reported.join()}`, where: 'run 3, request 1' }]
      },
    },
  ],
}

export const approvalsScenarios: readonly Scenario[] = [approvalGranted, approvalDenied, approvalEdited, approveAll]
