import type { Check } from '../check.ts'
import { unless } from '../check.ts'
import type { Scenario } from '../scenario.ts'
import { answer, call, say } from '../script-parts.ts'

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

/** Checked by nobody, so that whatever is made of the cut call would run. */
const inputSchema = {
  type: 'object',
  properties: { tz: { type: 'string', description: 'IANA time zone' } },
  required: ['tz'],
  additionalProperties: false,
}

const golden = (cause: string): string => `
    run 1
      step 1 tool-calls
        call get_weather {"city":"Zürich"} by loop
        result get_weather json
      failed turn-failed from ${cause}
  `

export const cutStream: Scenario = {
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
