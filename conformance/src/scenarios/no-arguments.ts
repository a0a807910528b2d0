import type { Check } from '../check.ts'
import type { Scenario } from '../scenario.ts'
import { canonicalJson } from '../json.ts'
import { answer, call, say } from '../script-parts.ts'

const emptyInHistory: Check = {
  id: 'empty-object-in-history',
  sentence:
    'A call without arguments stands as `{}` in the history, whatever the provider sent (`""`, nothing, `null`).',
  judge: ({ runs }) => {
    const view = runs[0]?.requests[1]?.view
    return (view?.items ?? [])
      .filter((item) => item.type === 'call')
      .filter(({ input }) => canonicalJson(input) !== '{}')
      .map(({ input, path }) => ({
        message: `the arguments are ${canonicalJson(input)}, not {}`,
        where: `request 2, ${path}`,
      }))
  },
}

const emptyForTool: Check = {
  id: 'empty-object-for-tool',
  sentence: 'The tool gets `{}`.',
  judge: ({ runs }) => {
    const where = 'run 1, step 1'
    const inputs = (runs[0]?.executions ?? []).map(({ input }) => canonicalJson(input))
    if (inputs.length === 0) return [{ message: 'the tool was not run, and no arguments are {}', where }]
    return inputs
      .filter((input) => input !== '{}')
      .map((input) => ({ message: `the tool got ${input}, not {}`, where }))
  },
}

/** Checked by nobody, so that the tool gets what the loop makes of no arguments. */
const inputSchema = { type: 'object', properties: {}, required: [], additionalProperties: false }

export const noArguments: Scenario = {
  id: 'no-arguments',
  title: 'A call of a tool that takes no arguments.',
  appliesTo: { requires: ['tools'] },
  script: [answer(call('list_alerts')), answer(say('Ein Alarm ⚠️: Föhn über Zürich.'))],
  golden: `
    run 1
      step 1 tool-calls
        call list_alerts {} by loop
        result list_alerts json
      step 2 stop
        text
      completed answer
  `,
  async run({ run, tools }) {
    const { list_alerts } = tools()
    await run('Gibt es Warnungen für Zürich ⚠️?', { tools: { list_alerts: { ...list_alerts, inputSchema } } })
  },
  checks: [emptyInHistory, emptyForTool],
}
