import { unless, type Check } from '../check.ts'
import { canonicalJson } from '../json.ts'
import { asks } from '../scenario-parts/asks.ts'
import { counters } from '../scenario-parts/run-counters.ts'
import { answered } from '../scenario-parts/goldens.ts'
import type { Scenario } from '../scenario.ts'
import { answer, call, say } from '../script-parts.ts'
import type { Feature } from '../shown-claims.ts'
import { give, structuredToolName } from '../structured-tool.ts'
import type { OutputOptions, StandardSchema } from '@steploop/core'

interface WeatherReport {
  readonly city: string
  readonly celsius: number
}

const properties = { city: { type: 'string' }, celsius: { type: 'number' } }

/** The object that structured scenarios ask for. By hand: what a schema library prints changes with its version. */
const schema: StandardSchema<unknown, WeatherReport> = {
  '~standard': {
    version: 1,
    vendor: 'steploop-conformance',
    validate(value) {
      const given: Readonly<Record<string, unknown>> = typeof value === 'object' && value !== null ? { ...value } : {}
      const { city, celsius } = given
      if (typeof city !== 'string')
        return { issues: [{ message: `expected a text, got ${typeof city}`, path: ['city'] }] }
      if (typeof celsius !== 'number') {
        return { issues: [{ message: `expected a number, got ${typeof celsius}`, path: ['celsius'] }] }
      }
      return { value: { city, celsius } }
    },
    jsonSchema: {
      input: () => ({ type: 'object', properties, required: ['city', 'celsius'], additionalProperties: false }),
    },
  },
}

const weatherReport: OutputOptions = { name: 'weather_report', schema }

/** The run gives the object, checked. */
function outputIs(expected: unknown): Check {
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
const noSyntheticTool: Check = {
  id: 'no-synthetic-tool',
  sentence: 'No event, call or result tells of a tool that the caller did not give.',
  judge: ({ runs }) => {
    const offered = runs.some(({ requests }) => requests.some(({ text }) => text.includes(structuredToolName)))
    const reported = runs.map(({ events, result }) => [events, result?.toolCalls, result?.toolResults])
    // What goes back to the provider has to hold the call; where it was never offered, nothing may hold it.
    const text = JSON.stringify(reported, (name, value: unknown) => (offered && history.has(name) ? undefined : value))
    return unless(!text.includes(structuredToolName), 'the hidden tool is visible')
  },
}

/** Native, or by core's own tool. */
function noWay(can: (feature: Feature) => boolean): string | undefined {
  if (can('structured') || can('tools')) return undefined
  return 'the adapter declares neither `structured` nor `tools`, by which core would ask for the object'
}

const structured: Scenario = {
  id: 'structured',
  title: 'An answer that is an object of a schema.',
  appliesTo: { requires: [noWay] },
  script: [give({ city: 'Zürich', celsius: 7 })],
  golden: answered,
  run: asks('Wie warm ist es in Zürich, verglichen mit 東京?', [], { output: weatherReport }),
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

const structuredWithTools: Scenario = {
  id: 'structured-with-tools',
  title: 'Tools first, the object last.',
  appliesTo: {
    requires: [
      'tools',
      (can) =>
        can('structured') && !can('structuredWithTools')
          ? 'the object cannot be asked for beside tools; `structured-apart` shows what is done instead'
          : undefined,
    ],
  },
  script: [answer(call('get_weather', { city: '東京' })), give({ city: '東京', celsius: 7 })],
  golden: `
    step 1 tool-calls: call get_weather {"city":"東京"} by loop + result get_weather json
    step 2 stop: text
    completed answer
  `,
  run: asks('Wie warm ist es in 東京, von Zürich aus gesehen?', ['get_weather'], { output: weatherReport }),
  checks: [counters({ requests: 2, executions: 1 }), outputIs({ city: '東京', celsius: 7 }), noSyntheticTool],
}

const structuredApart: Scenario = {
  id: 'structured-apart',
  title: 'Where the object cannot be asked for beside tools: once they are done, one more turn without them gives it.',
  appliesTo: {
    requires: [
      'tools',
      'structured',
      (can) =>
        can('structuredWithTools')
          ? 'the object is asked for beside tools: `structured-with-tools` shows it'
          : undefined,
    ],
  },
  script: [
    answer(call('get_weather', { city: '東京' })),
    answer(say('In 東京 sind es 7 °C ☀️.')),
    give({ city: '東京', celsius: 7 }),
  ],
  golden: `
    step 1 tool-calls: call get_weather {"city":"東京"} by loop + result get_weather json
    step 2 stop: text
    step 3 stop: text
    completed answer
  `,
  run: asks('Wie warm ist es in 東京, von Zürich aus gesehen?', ['get_weather'], { output: weatherReport }),
  checks: [
    counters({ requests: 3, executions: 1 }),
    outputIs({ city: '東京', celsius: 7 }),
    noSyntheticTool,
    {
      id: 'asked-for-apart',
      sentence: 'Only the last request asks for the object, and only it has no tools.',
      judge: ({ runs }) =>
        (runs[0]?.requests ?? []).flatMap(({ view }, index) => {
          const request = runs[0]?.turns[index]?.request
          const isLast = index === 2
          const where = `run 1, request ${index + 1}`
          const offered = view === undefined ? request?.tools !== undefined : view.tools.length > 0
          return [
            ...unless(
              (request?.responseFormat !== undefined) === isLast,
              'the object is asked for at the wrong time',
              where,
            ),
            ...unless(offered !== isLast, `the request ${offered ? 'has' : 'lacks'} tools`, where),
          ]
        }),
    },
  ],
}

const structuredRepair: Scenario = {
  id: 'structured-repair',
  title: 'An object that is not valid is sent back once, and repaired; a second run gives up after that.',
  appliesTo: { requires: [noWay], stressors: { resume: 'Repairs count per run: a run that is resumed counts anew.' } },
  onlySimulated: 'a real model does not give an invalid object on demand',
  script: [
    give({ city: 'Zürich', celsius: 'sieben' }),
    give({ city: 'Zürich', celsius: 7 }),
    give({ answer: 'In 東京 sind es sieben Grad 🌡️.' }),
    give({ city: '東京' }),
  ],
  golden: `
    run 1
      step 1 stop: text
      step 2 stop: text
      completed answer
    run 2
      step 1 stop: text
      step 2 stop: text
      failed invalid-output
  `,
  async run({ run }) {
    await run('Wie warm ist es in Zürich?', { output: weatherReport })
    await run('Wie warm ist es in 東京?', { output: weatherReport })
  },
  checks: [
    counters({ requests: 2, executions: 0 }, { requests: 2, executions: 0 }),
    outputIs({ city: 'Zürich', celsius: 7 }),
    noSyntheticTool,
    {
      id: 'says-what-is-wrong',
      sentence: 'The model is told which member is wrong, and why.',
      judge: ({ runs }) => {
        const texts = runs[0]?.requests[1]?.view?.items.flatMap((item) =>
          item.type === 'user' || item.type === 'result' ? [item.text] : [],
        )
        const reported = texts?.some((text) => text.includes('celsius') && text.includes('expected a number'))
        return unless(reported !== false, `the model is told ${JSON.stringify(texts)}`, 'run 1, request 2')
      },
    },
  ],
}

const structuredThinking: Scenario = {
  id: 'structured-thinking',
  title: 'An object of a model that thinks: such models refuse to be forced to call (docs/wire.md#anthropic-messages).',
  appliesTo: { requires: ['reasoning', noWay] },
  script: [give({ city: 'Zürich', celsius: 7 })],
  golden: answered,
  run: asks('Wie warm ist es in Zürich, verglichen mit 東京? 🤔', [], { output: weatherReport, reasoning: 'low' }),
  checks: [
    counters({ requests: 1, executions: 0 }),
    outputIs({ city: 'Zürich', celsius: 7 }),
    noSyntheticTool,
    {
      id: 'nothing-forced',
      sentence: 'The request forces no call, by whatever tool the object is asked for.',
      judge: ({ runs }) => {
        const choice = runs[0]?.turns[0]?.request.toolChoice
        const free = choice === undefined || choice === 'auto' || choice === 'none'
        return unless(free, `the tool choice is ${JSON.stringify(choice)}`, 'run 1, request 1')
      },
    },
  ],
}

const structuredInWords: Scenario = {
  id: 'structured-in-words',
  title: 'The model answers in words where an object is asked for: it is told so once, and gives the object.',
  appliesTo: {
    requires: ['structured'],
    stressors: { resume: 'Repairs count per run: a run that is resumed counts anew.' },
  },
  script: [answer(say('In Zürich sind es sieben Grad 🌡️, in 東京 auch.')), give({ city: 'Zürich', celsius: 7 })],
  golden: `
    step 1 stop: text
    step 2 stop: text
    completed answer
  `,
  run: asks('Wie warm ist es in Zürich?', [], { output: weatherReport }),
  checks: [
    counters({ requests: 2, executions: 0 }),
    outputIs({ city: 'Zürich', celsius: 7 }),
    noSyntheticTool,
    {
      id: 'says-what-is-wrong',
      sentence: 'After its words the model is told that a JSON object was asked for.',
      judge: ({ runs }) => {
        const asked = runs[0]?.requests[1]?.view?.items.at(-1)
        const reported = asked === undefined || (asked.type === 'user' && asked.text.includes('JSON'))
        return unless(reported, `the conversation ends with ${JSON.stringify(asked)}`, 'run 1, request 2')
      },
    },
  ],
}

export const structuredScenarios: readonly Scenario[] = [
  structured,
  structuredWithTools,
  structuredApart,
  structuredRepair,
  structuredThinking,
  structuredInWords,
]
