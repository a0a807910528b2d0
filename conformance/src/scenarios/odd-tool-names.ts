import type { Check } from '../check.ts'
import { unless } from '../check.ts'
import type { Scenario } from '../scenario.ts'
import { counters } from '../scenario-parts/run-counters.ts'
import { answer, say } from '../script-parts.ts'

/** With signs that hardly any provider takes, and longer than any of them takes. */
const oddName = 'wetter.abfragen/Zürich 🌦'
const longName = `fahrplan_${'sehr_'.repeat(28)}lang`

const descriptions: Readonly<Record<string, string>> = {
  [oddName]: 'Weather in a place',
  [longName]: 'Departures of a station',
}
const inputSchema = {
  type: 'object',
  properties: { place: { type: 'string' } },
  required: ['place'],
  additionalProperties: false,
}

const oneName: Check = {
  id: 'one-name-for-a-tool',
  sentence: 'A call in the history bears the name under which its tool is declared, and no two tools share one.',
  judge: ({ runs }) =>
    (runs[0]?.requests ?? []).flatMap(({ view }, index) => {
      const names = view?.tools.map(({ name }) => name) ?? []
      const called = view?.items.flatMap((item) => (item.type === 'call' ? [item] : [])) ?? []
      const where = `request ${index + 1}`
      return [
        ...unless(new Set(names).size === names.length, `two tools are declared as one: ${names.join(', ')}`, where),
        ...called
          .filter(({ toolName }) => !names.includes(toolName))
          .map(({ toolName, path }) => ({
            message: `the call of '${toolName}' is of no declared tool`,
            where: `${where}, ${path}`,
          })),
      ]
    }),
}

export const oddToolNames: Scenario = {
  id: 'odd-tool-names',
  title: 'Tools whose names the provider refuses: they get others on the wire, and calls come back under their own.',
  appliesTo: {
    requires: ['tools'],
    stressors: {
      'hand-over': 'Each provider has cleaned names of its own, which the comparison of histories does not know.',
    },
  },
  mayLose: ['tools['],
  script: [
    answer({ type: 'call', toolName: oddName, described: descriptions[oddName], input: { place: 'Zürich' } }),
    answer({ type: 'call', toolName: longName, described: descriptions[longName], input: { place: '東京' } }),
    answer(say('Sonnig in Zürich ☀️, und in 東京 fährt der Zug um 9.')),
  ],
  golden: `
    run 1
      step 1 tool-calls
        call ${oddName} {"place":"Zürich"} by loop
        result ${oddName} json
      step 2 tool-calls
        call ${longName} {"place":"東京"} by loop
        result ${longName} json
      step 3 stop
        text
      completed answer
  `,
  async run({ run, tools }) {
    const { declared } = tools()
    const of = (name: string) => declared(name, { description: descriptions[name], inputSchema })
    await run('Wetter in Zürich, und wann fährt in 東京 ein Zug?', {
      tools: { [oddName]: of(oddName), [longName]: of(longName) },
    })
  },
  checks: [counters({ requests: 3, executions: 2 }), oneName],
}
