import { unless } from '../check.ts'
import { stored, transcriptOf, type Scenario } from '../scenario.ts'
import { canonicalJson } from '../json.ts'
import { counters, everyCallAnswered } from '../scenario-parts/run-counters.ts'
import { answer, call, say } from '../script-parts.ts'

export const approvalEdited: Scenario = {
  id: 'approval-edited',
  title: 'The caller approves a call with another input: that one runs, and the conversation goes on.',
  appliesTo: { requires: ['tools'] },
  script: [
    answer(call('restart_job', { job: 'alles' })),
    answer(say('Ich habe nur testlauf-Zürich neu gestartet 🔁.')),
  ],
  golden: `
    run 1
      step 1 tool-calls
        call restart_job {"job":"alles"} by loop
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
    const transcript = stored(transcriptOf(await run('Starte alles neu, auch in 東京 🔁', options)))
    const id = transcript.pendingCalls[0]?.toolCallId ?? 'none pending'
    await run({ transcript, toolOutputs: { [id]: { approved: true, input: { job: 'testlauf-Zürich' } } } }, options)
  },
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
