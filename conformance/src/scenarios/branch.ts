import type { Check } from '../check.ts'
import { stored, transcriptOf, type Scenario } from '../scenario.ts'
import { canonicalJson } from '../json.ts'
import { answer, call, say } from '../script-parts.ts'

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

export const branch: Scenario = {
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
      step 1 tool-calls
        call get_weather {"city":"Zürich"} by loop
        result get_weather json
      step 2 stop
        text
      completed answer
    run 2
      step 1 stop
        text
      completed answer
    run 3
      step 1 tool-calls
        call get_weather {"city":"São Paulo"} by loop
        result get_weather json
      step 2 stop
        text
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
