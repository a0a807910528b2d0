import type { Check } from '../check.ts'
import { unless } from '../check.ts'
import type { Scenario } from '../scenario.ts'
import { answer, call, say } from '../script-parts.ts'

const namesTools: Check = {
  id: 'names-available-tools',
  sentence: 'The answer to a call of an unknown tool names the tools that there are.',
  judge: ({ runs }) => {
    const result = runs[0]?.result?.steps[0]?.toolResults[0]
    const text = JSON.stringify(result?.output ?? null)
    const told = text.includes('unknown-tool') && text.includes('get_weather') && text.includes('get_time')
    return unless(told, `the model is told ${text}, which does not name get_weather and get_time`, 'run 1, step 1')
  },
}

const nothingRuns: Check = {
  id: 'nothing-runs-for-it',
  sentence: 'No tool runs in place of an unknown one.',
  judge: ({ runs }) => {
    const events = runs[0]?.turns[0]?.events ?? []
    const ids = new Set(events.flatMap((event) => (event.type === 'tool-call' ? [event.toolCallId] : [])))
    const ran = (runs[0]?.executions ?? []).filter(({ toolCallId }) => ids.has(toolCallId))
    const names = ran.map(({ toolName }) => toolName).join(', ')
    return unless(ran.length === 0, `${names} ran for the call of get_wether`, 'run 1, step 1')
  },
}

export const unknownTool: Scenario = {
  id: 'unknown-tool',
  title: 'The model calls a tool that does not exist, is told so, and takes the right one.',
  appliesTo: { requires: ['tools'] },
  script: [
    answer(call('get_wether', { city: 'Zürich' })),
    answer(call('get_weather', { city: 'Zürich' })),
    answer(say('Jetzt aber: Zürich hat 7 °C ☀️.')),
  ],
  golden: `
    run 1
      step 1 tool-calls
        call get_wether {"city":"Zürich"} by client
        result get_wether error unknown-tool
      step 2 tool-calls
        call get_weather {"city":"Zürich"} by loop
        result get_weather json
      step 3 stop
        text
      completed answer
  `,
  async run({ run, tools }) {
    const { get_weather, get_time } = tools()
    await run('Wetter in Zürich 🌤️?', { tools: { get_weather, get_time } })
  },
  checks: [namesTools, nothingRuns],
}
