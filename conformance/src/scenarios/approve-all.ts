import { stored, transcriptOf, type Scenario } from '../scenario.ts'
import { clientOwned } from '../play/local-tools.ts'
import { answer, call, say } from '../script-parts.ts'
import { counters, everyCallAnswered } from '../scenario-parts/run-counters.ts'

export const approveAll: Scenario = {
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
      step 1 stop
        text
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
        const told = results.map(({ output }) => (output.type === 'error' ? output.value.code : output.type))
        const holds = told.join() === 'unknown-tool,text,unknown-tool'
        return holds ? [] : [{ message: `the results are ${told.join()}`, where: 'run 3, request 1' }]
      },
    },
  ],
}
