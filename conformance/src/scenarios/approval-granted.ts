import { unless } from '../check.ts'
import { stored, transcriptOf, type Scenario } from '../scenario.ts'
import { counters, everyCallAnswered } from '../scenario-parts/run-counters.ts'
import { answer, call, say } from '../script-parts.ts'

export const approvalGranted: Scenario = {
  id: 'approval-granted',
  title: 'A call that needs approval waits, is approved after the run was stored, and runs once.',
  appliesTo: { requires: ['tools'] },
  script: [answer(call('restart_job', { job: 'nachtlauf-東京' })), answer(say('nachtlauf-東京 läuft wieder 🔁.'))],
  golden: `
    run 1
      step 1 tool-calls
        call restart_job {"job":"nachtlauf-東京"} by loop
      requires-action approval
        pending restart_job
    run 2
      step 1 stop
        text
      completed answer
  `,
  async run({ run, tools }) {
    const { restart_job } = tools()
    const options = { tools: { restart_job } }
    const transcript = stored(transcriptOf(await run('Starte nachtlauf-東京 neu 🔁', options)))
    const id = transcript.pendingCalls[0]?.toolCallId ?? 'none pending'
    await run({ transcript, toolOutputs: { [id]: { approved: true } } }, options)
  },
  checks: [
    counters({ requests: 1, executions: 0 }, { requests: 1, executions: 1 }),
    everyCallAnswered,
    {
      id: 'result-arrives',
      sentence: 'The model gets what the tool returned after the approval.',
      judge: ({ runs }) => {
        const items = runs[1]?.requests[0]?.view?.items
        const told = items?.some((item) => item.type === 'result' && item.text.includes('"restarted"'))
        return unless(told !== false, 'no result of the resumed request is that of the tool', 'run 2, request 1')
      },
    },
  ],
}
