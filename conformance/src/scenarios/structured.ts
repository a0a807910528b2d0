import type { Check } from '../check.ts'
import { unless } from '../check.ts'
import type { Scenario } from '../scenario.ts'
import type { Feature } from '../shown-claims.ts'
import { canonicalJson } from '../json.ts'
import { counters } from '../scenario-parts/run-counters.ts'
import { give, structuredToolName } from '../structured-tool.ts'
import { weatherReport } from '../scenario-parts/weather-report.ts'

/** The run gives the object, checked. */
export function outputIs(expected: unknown): Check {
  return {
    id: 'output',
    isOfScript: true,
    sentence: 'The result holds the object that the model wrote, checked against the schema.',
    judge: ({ runs }) => {
      const got = canonicalJson(runs[0]?.result?.output)
      return unless(got === canonicalJson(expected), `the object is ${got}`, 'run 1')
    },
  }
}

/** Members that hold the conversation as the provider gets it. */
const history: ReadonlySet<string> = new Set(['message', 'messages', 'transcript'])

/** Whatever the way to the object: the caller does not see core's own tool. */
export const noSyntheticTool: Check = {
  id: 'no-synthetic-tool',
  sentence: 'No event, call or result tells of a tool that the caller did not give.',
  judge: ({ runs }) => {
    const offered = runs.some(({ requests }) => requests.some(({ text }) => text.includes(structuredToolName)))
    const told = runs.map(({ events, result }) => [events, result?.toolCalls, result?.toolResults])
    // What goes back to the provider has to hold the call; where it was never offered, nothing may hold it.
    const text = JSON.stringify(told, (name, value: unknown) => (offered && history.has(name) ? undefined : value))
    return unless(!text.includes(structuredToolName), 'the hidden tool is visible')
  },
}

/** Native, or by core's own tool. */
export function noWay(can: (feature: Feature) => boolean): string | undefined {
  if (can('structured') || can('tools')) return undefined
  return 'the adapter declares neither `structured` nor `tools`, by which core would ask for the object'
}

export const structured: Scenario = {
  id: 'structured',
  title: 'An answer that is an object of a schema.',
  appliesTo: { requires: [noWay] },
  script: [give({ city: 'Zürich', celsius: 7 })],
  golden: `
    run 1
      step 1 stop
        text
      completed answer
  `,
  async run({ run }) {
    await run('Wie warm ist es in Zürich, verglichen mit 東京?', { output: weatherReport })
  },
  checks: [
    counters({ requests: 1, executions: 0 }),
    outputIs({ city: 'Zürich', celsius: 7 }),
    noSyntheticTool,
    {
      id: 'schema-reaches-the-model',
      sentence: 'The request holds the schema.',
      judge: ({ runs }) => {
        const text = runs[0]?.requests[0]?.text ?? ''
        return unless(text.includes('celsius'), 'the body has no word of `celsius`', 'run 1, request 1')
      },
    },
  ],
}
