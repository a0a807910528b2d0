import type { TurnEvent } from '@steploop/core/adapter'
import { unless, type Check, type Failure } from '../check.ts'
import type { RunRecord } from '../evidence.ts'
import { counters } from '../scenario-parts/run-counters.ts'
import { textsIn } from '../scenario-parts/texts-in.ts'
import { stored, transcriptOf, type Scenario } from '../scenario.ts'
import { answer, call, say } from '../script-parts.ts'
import { wireKit } from '../wires/index.ts'

const query = 'Türme von Zürich und 東京'
const code = 'print(3 * 12390)  # Höhenmeter 🗼'

/** What a turn told of its own calls, as far as it can be found again: words, not kinds. */
function reportedBy(events: readonly TurnEvent[]): readonly string[] {
  return events.flatMap((event) => {
    if (event.type === 'tool-call' && event.owner === 'provider')
      return textsIn([event.input, event.providerMetadata?.data])
    if (event.type !== 'tool-result') return []
    // Of a failure the code and the message are our own words.
    return textsIn([event.output.type === 'error' ? undefined : event.output.value, event.providerMetadata?.data])
  })
}

const seenByCaller: Check = {
  id: 'seen-by-caller',
  sentence:
    'Each call of the provider and its result is reported to the consumer once, as the provider’s own, and never as queued or running.',
  judge: ({ runs, mode }) => (mode === 'generate' ? [] : runs.slice(0, 1).flatMap((run) => unexpectedEvents(run))),
}

function unexpectedEvents({ events, number }: RunRecord): readonly Failure[] {
  const where = `run ${number}`
  const calls = events.filter((event) => event.type === 'tool-call' && event.owner === 'provider').length
  const results = events.filter((event) => event.type === 'tool-result' && event.owner === 'provider').length
  const ids = new Set(
    events.flatMap((event) => (event.type === 'tool-call' && event.owner === 'provider' ? [event.toolCallId] : [])),
  )
  const states = events.filter((event) => event.type === 'tool-state' && ids.has(event.toolCallId)).length
  return [
    ...unless(calls === 2 && results === 2, `${calls} calls and ${results} results were told, not two each`, where),
    ...unless(states === 0, `${states} states of tools were told for calls that do not run here`, where),
  ]
}

const callsWhole: Check = {
  id: 'calls-reported-whole',
  isOfScript: true,
  sentence:
    'Each call of the provider is reported with a name of its tool and with what it was asked, the query, the code, and never as failed.',
  judge: ({ runs }) => {
    const events = (runs[0]?.turns ?? []).flatMap((turn) => turn.events)
    const calls = events.flatMap((event) => (event.type === 'tool-call' && event.owner === 'provider' ? [event] : []))
    const failed = events.filter((event) => event.type === 'tool-result' && event.output.type === 'error').length
    const wanted = [
      { asked: query, name: /search/i },
      { asked: code, name: /code|python|bash/i },
    ]
    // An unknown tool of a provider is called as the subject declares it.
    const offered = runs[0]?.turns[0]?.request.tools?.filter(({ type }) => type === 'provider') ?? []
    const failures = unless(failed === 0, `${failed} results say that the call failed`, 'run 1')
    const misreported = wanted.flatMap(({ asked, name }, index) => {
      const reported = calls[index]
      const where = `run 1, turn ${index + 1}`
      if (reported === undefined) return [{ message: 'the call is not told', where }]
      const isAsked = textsIn([reported.input, reported.inputText]).some((text) => text.includes(asked))
      return [
        ...unless(
          name.test(reported.toolName) || reported.toolName === offered[index]?.name,
          `the call is of the tool '${reported.toolName}'`,
          where,
        ),
        ...unless(isAsked, `its input is ${JSON.stringify(reported.input)}, without '${asked}'`, where),
      ]
    })
    return [...failures, ...misreported]
  },
}

const replayed: Check = {
  id: 'replayed-as-it-was',
  sentence: 'What the provider called and got is in every later body, word by word, before what the model said to it.',
  judge: ({ runs }) => {
    const [first, second] = runs
    if (first === undefined || second === undefined) return []
    const requests = [first.requests[1], second.requests[0]]
    const turns = [[first.turns[0]], first.turns]
    return requests.flatMap((request, index) => {
      const where = index === 0 ? 'run 1, request 2' : 'run 2, request 1'
      const sent = new Set(textsIn(request?.body))
      const expected = [
        query,
        ...(index === 1 ? [code] : []),
        ...(turns[index] ?? []).flatMap((turn) => reportedBy(turn?.events ?? [])),
      ]
      const lost = [...new Set(expected)].filter((text) => text !== '' && !sent.has(text))
      const kinds = request?.view?.items.map(({ type }) => type) ?? []
      return [
        ...lost.map((text) => ({ message: `the body does not hold '${text.slice(0, 60)}'`, where })),
        ...unless(
          request?.view === undefined ||
            (kinds.indexOf('other') === 1 &&
              kinds.indexOf('text') > 1 &&
              kinds.indexOf('call') > kinds.indexOf('text')),
          `the items are ${kinds.join()}; the provider’s own come right after the question`,
          where,
        ),
      ]
    })
  },
}

const providerTool: Scenario = {
  id: 'provider-tool',
  title:
    'The provider searches and runs code itself, beside a tool of the caller: never run here, reported, and sent back as it was.',
  appliesTo: {
    requires: ['tools', 'providerTools'],
    stressors: {
      noise: 'Noise turns the keys of every object round, and inputs of these calls are objects on some wires.',
    },
  },
  script: [
    answer(
      { type: 'provider-call', tool: 'search', text: query, output: 'Liste der Türme 🗼' },
      say('Gefunden. Noch das Wetter …'),
      call('get_weather', { city: 'Zürich' }),
    ),
    answer(
      { type: 'provider-call', tool: 'code', text: code, output: '37170\n' },
      say('Zürich: 7 °C ☀️, und 37170 Höhenmeter.'),
    ),
    answer(say('Der Turm in 東京 ist höher.')),
  ],
  golden: `
    run 1
      step 1 tool-calls
        call by provider
        tool-result
        text
        call get_weather {"city":"Zürich"} by loop
        result get_weather json
      step 2 stop: call by provider + tool-result + text
      completed answer
    run 2
      step 1 stop: text
      completed answer
  `,
  async run({ run, tools, providerTools }) {
    const { get_weather } = tools()
    const all = { ...providerTools, get_weather }
    const first = await run('Welche Türme haben Zürich und 東京?', { tools: all })
    await run({ transcript: transcriptOf(first), prompt: 'Und welcher ist höher?' }, { tools: all })
  },
  checks: [
    counters({ requests: 2, executions: 1 }, { requests: 1, executions: 0 }),
    seenByCaller,
    callsWhole,
    replayed,
  ],
}

const failingCode = 'print(1 / 0)  # Höhe geteilt durch nichts 🗼'

const failureReported: Check = {
  id: 'failure-reported',
  sentence: 'The result of the call says that it failed, in a word of its own beside what the tool printed.',
  judge: ({ runs }) => {
    const events = runs[0]?.turns[0]?.events ?? []
    const results = events.flatMap((event) => (event.type === 'tool-result' ? [event.output] : []))
    const holds = results.length === 1 && /error|fail|unavailable/i.test(JSON.stringify(results[0]))
    return unless(holds, `the results are ${JSON.stringify(results)}`, 'run 1, turn 1')
  },
}

const failureReplayed: Check = {
  id: 'replayed-as-it-was',
  sentence: 'The call, what rode on it and the failure are in the later body, word by word.',
  judge: ({ runs, subject }) => {
    const body = runs[1]?.requests[0]?.body
    if (body === undefined) return []
    const sent = textsIn(body)
    const rider = wireKit(subject.wire)?.samples?.rider
    const expected = [
      failingCode,
      ...(rider === undefined ? [] : [rider]),
      ...reportedBy(runs[0]?.turns[0]?.events ?? []),
    ]
    return [...new Set(expected)]
      .filter((text) => text !== '' && !sent.includes(text))
      .map((text) => ({ message: `the body does not hold '${text.slice(0, 60)}'`, where: 'run 2, request 1' }))
  },
}

const providerToolFails: Scenario = {
  id: 'provider-tool-fails',
  title: 'Code that the provider runs fails: it is reported, the answer goes on, and the failure goes back as it came.',
  appliesTo: {
    requires: ['providerTools'],
    stressors: {
      noise: 'Noise turns the keys of every object round, and inputs of these calls are objects on some wires.',
    },
  },
  onlySimulated: 'no tool of a real provider fails on demand',
  script: [
    answer(
      { type: 'provider-call', tool: 'code', text: failingCode, output: 'Durch 0 geht es nicht.', fails: true },
      say('Durch nichts lässt sich in Zürich nicht teilen.'),
    ),
    answer(say('In 東京 auch nicht 🙅.')),
  ],
  golden: `
    run 1
      step 1 stop: call by provider + tool-result + text
      completed answer
    run 2
      step 1 stop: text
      completed answer
  `,
  async run({ run, providerTools: tools }) {
    const first = await run('Wie hoch ist der Turm, geteilt durch nichts?', { tools })
    await run({ transcript: stored(transcriptOf(first)), prompt: 'Und in 東京?' }, { tools })
  },
  checks: [counters({ requests: 1, executions: 0 }, { requests: 1, executions: 0 }), failureReported, failureReplayed],
}

export const providerToolsScenarios: readonly Scenario[] = [providerTool, providerToolFails]
