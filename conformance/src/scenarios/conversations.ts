import type { Transcript } from '@steploop/core'
import { unless, type Check } from '../check.ts'
import { canonicalJson } from '../json.ts'
import { wireNames } from '../judge/wire-names.ts'
import { clientOwned } from '../scenario-parts/local-tools.ts'
import { asks } from '../scenario-parts/asks.ts'
import { oneCall } from '../scenario-parts/one-call.ts'
import { answered } from '../scenario-parts/goldens.ts'
import { stored, transcriptOf, type Scenario } from '../scenario.ts'
import { answer, call, say } from '../script-parts.ts'

/** Checks that there are as many requests and steps as the script has turns. */
function stepCounts(count: number): Check {
  return {
    id: 'step-counts',
    sentence: `The run takes ${count} requests and gives ${count} steps.`,
    judge: ({ runs }) => {
      const requests = runs[0]?.requests.length ?? 0
      const steps = runs[0]?.result?.steps.length ?? 0
      return [
        ...unless(requests === count, `${requests} requests were made instead of ${count}`, 'run 1'),
        ...unless(steps === count, `the result has ${steps} steps instead of ${count}`, 'run 1'),
      ]
    },
  }
}

const threeTurn: Scenario = {
  id: 'three-turn',
  title: 'One tool, then another, then the answer.',
  appliesTo: { requires: ['tools'] },
  ...oneCall(
    'Die Bestellung ZH-1001 geht nach 東京, dort sind es 7 °C 📦.',
    { toolName: 'lookup_order', input: { id: 'ZH-1001' }, output: 'json' },
    { toolName: 'get_weather', input: { city: '東京' }, output: 'json' },
  ),
  run: asks('Wohin geht ZH-1001, und wie ist dort das Wetter? 🌦️', ['lookup_order', 'get_weather']),
  checks: [stepCounts(3)],
}

const instructions = 'Prüfe gründlich, antworte auf Deutsch 🇨🇭.'

const eachOnce: Check = {
  id: 'each-once',
  sentence: 'Every body has each earlier call and each earlier result exactly once.',
  judge: ({ runs }) =>
    (runs[0]?.requests ?? []).flatMap(({ view }, index) => {
      if (view === undefined || view.continuation !== undefined) return []
      return (['call', 'result'] as const).flatMap((type) => {
        const found = view.items.flatMap((item) => (item.type === type && 'id' in item ? [item.id] : []))
        const ids = new Set(found)
        if (found.length === index && ids.size === index) return []
        const message = `the body holds ${found.length} ${type}s with ${ids.size} ids; ${index} earlier calls were made`
        return [{ message, where: `request ${index + 1}` }]
      })
    }),
}

const settingsInEveryTurn: Check = {
  id: 'settings-in-every-turn',
  sentence: 'Instructions and headers of the caller go with every turn.',
  judge: ({ runs }) =>
    (runs[0]?.requests ?? []).flatMap(({ view, headers }, index) => {
      const where = `request ${index + 1}`
      const lost = view !== undefined && view.instructions !== instructions
      return [
        ...(lost ? [{ message: `the instructions are ${JSON.stringify(view.instructions)}`, where }] : []),
        ...(headers['x-scenario'] === 'five-turn'
          ? []
          : [{ message: 'the header `x-scenario` of the caller is missing', where }]),
      ]
    }),
}

const fiveTurn: Scenario = {
  id: 'five-turn',
  title: 'Four tools one after the other, then the answer.',
  appliesTo: { requires: ['tools'] },
  script: [
    answer(call('lookup_order', { id: 'ZH-1001' })),
    answer(say('Weiter mit 東京 …'), call('get_time', { tz: 'Asia/Tokyo' })),
    answer(call('get_weather', { city: 'Zürich' })),
    answer(call('get_weather', { city: '東京' })),
    answer(say('Alles geprüft ✅: ZH-1001, Zürich und 東京.')),
  ],
  golden: `
    step 1 tool-calls: call lookup_order {"id":"ZH-1001"} by loop + result lookup_order json
    step 2 tool-calls: text + call get_time {"tz":"Asia/Tokyo"} by loop + result get_time text
    step 3 tool-calls: call get_weather {"city":"Zürich"} by loop + result get_weather json
    step 4 tool-calls: call get_weather {"city":"東京"} by loop + result get_weather json
    step 5 stop: text
    completed answer
  `,
  run: asks('Prüfe ZH-1001 und vergleiche Zürich mit 東京 🔎.', ['lookup_order', 'get_time', 'get_weather'], {
    instructions,
    maxOutputTokens: 400,
    headers: { 'x-scenario': 'five-turn' },
  }),
  checks: [stepCounts(5), eachOnce, settingsInEveryTurn],
}

const left = 'Links: und in 東京 🗼?'
const right = 'Rechts: und in São Paulo 🌴?'

const branchesApart: Check = {
  id: 'branches-apart',
  sentence: 'Neither of two runs that continue one transcript sees the other.',
  judge: ({ runs }) => {
    const of = (run: number): string => (runs[run]?.requests ?? []).map(({ text }) => JSON.stringify(text)).join('\n')
    const inBody = (text: string): string => JSON.stringify(text).slice(1, -1)
    const sees = [
      { run: 2, text: left, other: 'first' },
      { run: 2, text: 'Im linken Ast', other: 'first' },
      { run: 1, text: right, other: 'second' },
    ]
    return sees
      .filter(({ run, text }) => of(run).includes(inBody(text)))
      .map(({ run, text, other }) => ({
        message: `its requests hold ${JSON.stringify(text)}, which belongs to the ${other} branch`,
        where: `run ${run + 1}`,
      }))
  },
}

const transcriptUntouched: Check = {
  id: 'transcript-untouched',
  sentence: 'A transcript from which a run continues stays as it was.',
  judge: ({ runs }) => {
    const before = runs[0]?.result?.transcript.messages
    const inputs = runs.slice(1).map((run) => run.result?.transcript.messages.slice(0, before?.length))
    return inputs.flatMap((messages, index) =>
      messages === undefined || canonicalJson(messages) === canonicalJson(before)
        ? []
        : [{ message: 'the earlier messages have changed', where: `run ${index + 2}` }],
    )
  },
}

const branch: Scenario = {
  id: 'branch',
  title: 'Two runs continue from the same earlier transcript.',
  appliesTo: { requires: ['tools'] },
  script: [
    answer(call('get_weather', { city: 'Zürich' })),
    answer(say('In Zürich sind es 7 °C ☀️.')),
    answer(say('Im linken Ast: 東京 hat 7 °C.')),
    answer(call('get_weather', { city: 'São Paulo' })),
    answer(say('Im rechten Ast: São Paulo hat 7 °C.')),
  ],
  golden: `
    run 1
      step 1 tool-calls: call get_weather {"city":"Zürich"} by loop + result get_weather json
      step 2 stop: text
      completed answer
    run 2
      step 1 stop: text
      completed answer
    run 3
      step 1 tool-calls: call get_weather {"city":"São Paulo"} by loop + result get_weather json
      step 2 stop: text
      completed answer
  `,
  async run({ run, tools }) {
    const { get_weather } = tools()
    const transcript = transcriptOf(await run('Wetter in Zürich?', { tools: { get_weather } }))
    // Each from a copy of its own: what one of them changes is seen against the first.
    await run({ transcript: stored(transcript), prompt: left }, { tools: { get_weather } })
    await run({ transcript: stored(transcript), prompt: right }, { tools: { get_weather } })
  },
  checks: [branchesApart, transcriptUntouched],
}

const toolCallId = 'call_from_elsewhere_1'

/** What another process left behind: written by hand, so it names no provider. */
const transcript: Transcript = {
  version: 1,
  id: 'conversation-of-another-process',
  messages: [
    { role: 'user', content: 'Wo ist meine Bestellung ZH-1001? 📦' },
    {
      role: 'assistant',
      content: [
        {
          type: 'tool-call',
          toolCallId,
          toolName: 'lookup_order',
          input: { id: 'ZH-1001' },
          inputText: '{"id":"ZH-1001"}',
          owner: 'client',
        },
      ],
    },
  ],
  pendingCalls: [{ toolCallId, toolName: 'lookup_order', input: { id: 'ZH-1001' }, reason: 'client-tool' }],
}

const callIsThere: Check = {
  id: 'call-is-there',
  sentence: 'The call that the output answers is in the body, or covered by the continuation id.',
  judge: ({ runs, subject }) => {
    const view = runs[0]?.requests[0]?.view
    if (view === undefined || view.continuation !== undefined) return []
    const name = wireNames(runs[0]?.turns[0]?.request, view, subject).get('lookup_order') ?? 'lookup_order'
    const called = view.items.some((item) => item.type === 'call' && item.toolName === name)
    return called ? [] : [{ message: 'the body has the output of `lookup_order` but not its call', where: 'request 1' }]
  },
}

const outputArrives: Check = {
  id: 'output-arrives',
  sentence: 'The output of the caller reaches the model, and nothing is said in the name of the user.',
  judge: ({ runs }) => {
    const view = runs[0]?.requests[0]?.view
    if (view === undefined) return []
    const { items } = view
    const results = items.filter((item) => item.type === 'result')
    const users = items.filter((item) => item.type === 'user')
    const wrong = results.length === 1 && results[0]?.text.includes('unterwegs nach 東京') === true ? [] : results
    return [
      ...(results.length === 0 ? [{ message: 'the output is missing', where: 'request 1' }] : []),
      ...wrong.map(({ text, path }) => ({
        message: `the output reads ${JSON.stringify(text)}`,
        where: `request 1, ${path}`,
      })),
      ...users.slice(1).map(({ path }) => ({ message: 'a user message was invented', where: `request 1, ${path}` })),
    ]
  },
}

const toolOutputOnly: Scenario = {
  id: 'tool-output-only',
  title: 'A run that starts with the output of a pending call and no user message.',
  appliesTo: { requires: ['tools'] },
  script: [answer(say('Deine Bestellung ist unterwegs nach 東京 📦.'))],
  golden: answered,
  async run({ run, tools }) {
    await run(
      { transcript, toolOutputs: { [toolCallId]: { output: { id: 'ZH-1001', status: 'unterwegs nach 東京' } } } },
      { tools: { lookup_order: clientOwned(tools().lookup_order) } },
    )
  },
  checks: [callIsThere, outputArrives],
}

export const conversationsScenarios: readonly Scenario[] = [threeTurn, fiveTurn, branch, toolOutputOnly]
