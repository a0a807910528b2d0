import { unless, type Check } from '../check.ts'
import { asks, asksInTurn } from '../scenario-parts/asks.ts'
import { briefExcerpt } from '../scenario-parts/brief-excerpt.ts'
import { counters, everyCallAnswered } from '../scenario-parts/run-counters.ts'
import { typedFailure, waitsOnce } from '../scenario-parts/typed-failure.ts'
import type { Scenario } from '../scenario.ts'
import { answer, call, say } from '../script-parts.ts'

const errorIn200: Scenario = {
  id: 'error-in-200',
  title: 'The status says 200, the body is an error: it fails like the same error with a status.',
  appliesTo: { requires: ['tools'] },
  script: [
    answer(call('get_weather', { city: 'Zürich' })),
    { type: 'failure', failure: 'server-error', location: 'body' },
  ],
  golden: `
    step 1 tool-calls: call get_weather {"city":"Zürich"} by loop + result get_weather json
    failed turn-failed from server-error
  `,
  run: asks('Wetter in Zürich, dann in 東京? ⛈️', ['get_weather'], { maxRetries: 0 }),
  checks: [counters({ requests: 2, executions: 1 }), typedFailure({ code: 'server-error' }), everyCallAnswered],
}

const noToolRuns: Check = {
  id: 'no-tool-runs',
  sentence: 'No call of a cut turn runs.',
  judge: ({ runs }) => {
    const names = (runs[0]?.executions ?? []).slice(1).map(({ toolName }) => toolName)
    return unless(names.length === 0, `${names.join(', ')} ran, although the turn that called was cut`, 'run 1, step 2')
  },
}

const earlierStepsKept: Check = {
  id: 'earlier-steps-kept',
  sentence: 'The error carries the step before the cut, with its result.',
  judge: ({ runs }) => {
    const error: unknown = runs[0]?.error
    const transcript = error instanceof Error ? JSON.stringify(Reflect.get(error, 'transcript') ?? null) : 'none'
    return unless(
      transcript.includes('celsius'),
      'the transcript of the error lacks the result of the first step',
      'run 1',
    )
  },
}

/** Not checked, so that whatever is made of the cut call would run. */
const inputSchema = {
  type: 'object',
  properties: { tz: { type: 'string', description: 'IANA time zone' } },
  required: ['tz'],
  additionalProperties: false,
}

const golden = (cause: string): string => `
    run 1
      step 1 tool-calls: call get_weather {"city":"Zürich"} by loop + result get_weather json
      failed turn-failed from ${cause}
  `

const cutStream: Scenario = {
  id: 'cut-stream',
  title:
    'The second response ends in the middle of a call: a stream before its terminal evidence, a JSON body before its last brace.',
  appliesTo: { requires: ['tools'] },
  script: [
    answer(call('get_weather', { city: 'Zürich' })),
    { ...answer(say('Ich schaue noch in 東京 🗼 …'), call('get_time', { tz: 'Asia/Tokyo' })), cutAfter: 0.7 },
  ],
  golden: { stream: golden('incomplete-stream'), generate: golden('malformed-response') },
  async run({ run, tools }) {
    const { get_weather, get_time } = tools()
    const lenient = { ...get_time, inputSchema }
    await run('Wetter in Zürich, dann Zeit in 東京?', { tools: { get_weather, get_time: lenient }, maxRetries: 0 })
  },
  checks: [noToolRuns, earlierStepsKept],
}

const broken = {
  type: 'breakage',
  breakage: 'broken-json',
  says: [say('Ich schaue noch in 東京 🗼 …'), call('get_weather', { city: '東京' })],
} as const

const brokenJson: Scenario = {
  id: 'broken-json',
  title:
    'Something that is no JSON stands in the middle of an answer: asked again, and no call of such an answer runs.',
  appliesTo: { requires: ['tools'] },
  script: [
    answer(call('get_weather', { city: 'Zürich' })),
    broken,
    answer(say('In Zürich sind es 7 °C ☀️.')),
    answer(call('get_weather', { city: 'Zürich' })),
    broken,
  ],
  golden: `
    run 1
      step 1 tool-calls: call get_weather {"city":"Zürich"} by loop + result get_weather json
      step 2 stop: text
      completed answer
    run 2
      step 1 tool-calls: call get_weather {"city":"Zürich"} by loop + result get_weather json
      failed turn-failed from malformed-response
  `,
  run: asksInTurn(['Wetter in Zürich?'], ['Und in 東京?', { maxRetries: 0 }]),
  checks: [
    counters({ requests: 3, executions: 1 }, { requests: 2, executions: 1 }),
    typedFailure({ run: 2, code: 'malformed-response', worded: false }),
    waitsOnce,
    briefExcerpt('{', 2),
    everyCallAnswered,
  ],
}

const errorBetween = {
  type: 'failure',
  failure: 'server-error',
  location: 'body',
  after: [say('In 東京 🗼 ist es gerade …')],
} as const

const errorMidStream: Scenario = {
  id: 'error-mid-stream',
  title: 'A stream ends with an error after its first words: asked again, or failed, but never half an answer.',
  appliesTo: { requires: ['tools'], modes: { generate: 'A body that is not streamed has no middle.' } },
  script: [
    answer(call('get_weather', { city: 'Zürich' })),
    errorBetween,
    errorBetween,
    answer(say('Jetzt ganz: In 東京 ist es Mittag 🕛.')),
  ],
  golden: `
    run 1
      step 1 tool-calls: call get_weather {"city":"Zürich"} by loop + result get_weather json
      failed turn-failed from server-error
    run 2
      step 1 stop: text
      completed answer
  `,
  run: asksInTurn(['Wetter in Zürich, dann in 東京?', { maxRetries: 0 }], ['Und jetzt?', { maxRetries: 1 }]),
  checks: [
    counters({ requests: 2, executions: 1 }, { requests: 2, executions: 0 }),
    typedFailure({ code: 'server-error' }),
    everyCallAnswered,
    {
      id: 'discard-announced',
      sentence: 'Who has seen the first words is told once, before the new ones come, to forget them.',
      judge: ({ runs }) => {
        const types = (runs[1]?.events ?? []).map(({ type }) => type)
        const at = types.indexOf('step-retry')
        const once = at === types.lastIndexOf('step-retry') && at > types.indexOf('text-delta')
        return unless(at !== -1 && once, `\`step-retry\` stands at ${at} in ${types.join(', ')}`, 'run 2')
      },
    },
  ],
}

export const brokenStreamsScenarios: readonly Scenario[] = [errorIn200, cutStream, brokenJson, errorMidStream]
