import { unless } from '../check.ts'
import { stored, transcriptOf, type Scenario } from '../scenario.ts'
import { counters, everyCallAnswered } from '../scenario-parts/run-counters.ts'
import { answer, call, say } from '../script-parts.ts'

const reason = 'Nicht während der Börsenzeit von 東京 📈'

export const approvalDenied: Scenario = {
  id: 'approval-denied',
  title: 'Of two calls that wait, one is denied first and the other approved later: partial answers are legal.',
  appliesTo: { requires: ['tools', 'parallel'] },
  script: [
    answer(call('restart_job', { job: 'kurse' }), call('restart_job', { job: 'archiv-Zürich' })),
    answer(say('archiv-Zürich läuft wieder, kurse bleibt, wie es ist 📈.')),
  ],
  golden: `
    run 1
      step 1 tool-calls
        call restart_job {"job":"kurse"} by loop
        call restart_job {"job":"archiv-Zürich"} by loop
      requires-action approval
        pending restart_job
        pending restart_job
    run 2
      requires-action approval
        pending restart_job
    run 3
      step 1 stop
        text
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
        const told = texts[0]?.includes('denied') === true && texts[0].includes(reason)
        return unless(items === undefined || told, `the results are ${JSON.stringify(texts)}`, 'run 3, request 1')
      },
    },
  ],
}
