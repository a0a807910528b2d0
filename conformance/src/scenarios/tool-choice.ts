import type { ToolChoice } from '@steploop/core'
import type { Check, Failure } from '../check.ts'
import { unless } from '../check.ts'
import type { SentRequest } from '../evidence.ts'
import type { Scenario } from '../scenario.ts'
import { answer, call, say } from './script-parts.ts'

/** What the body says about the choice, as a text; `auto` where it says nothing. */
function choiceOf(request: SentRequest | undefined): string | undefined {
  const view = request?.view
  if (view === undefined) return undefined
  const choice = view.head['tool_choice'] ?? view.head['toolConfig']
  if (choice !== undefined) return JSON.stringify(choice).toLowerCase()
  return view.tools.length === 0 ? 'none: no tools' : 'auto'
}

const says = (request: SentRequest | undefined, pattern: RegExp, where: string): readonly Failure[] => {
  const choice = choiceOf(request)
  return unless(choice === undefined || pattern.test(choice), `the body says ${choice}, which is not ${pattern}`, where)
}

const choiceArrives: Check = {
  id: 'choice-arrives',
  sentence: '`required`, a named tool and `none` reach the body in the words of the wire format.',
  judge: ({ runs }) => [
    ...says(runs[0]?.requests[0], /required|any/, 'run 1, request 1'),
    ...says(runs[1]?.requests[0], /get_time/, 'run 2, request 1'),
    ...says(runs[2]?.requests[0], /none/, 'run 3, request 1'),
  ],
}

const firstStepOnly: Check = {
  id: 'forced-once',
  sentence: 'A forced choice applies to the first step only: a model that must call for ever never answers.',
  judge: ({ runs }) => [
    ...says(runs[0]?.requests[1], /^(?!.*(required|any"))/, 'run 1, request 2'),
    ...says(runs[1]?.requests[1], /^(?!.*get_time)/, 'run 2, request 2'),
  ],
}

export const toolChoice: Scenario = {
  id: 'tool-choice',
  title: 'Any tool is forced, one tool is forced, and tools are forbidden.',
  needs: ['tools'],
  needsChoice: ['required', 'tool', 'none'],
  notUnder: {
    resume: 'A forced choice applies to the first step of a run, and a run that is resumed has another one.',
  },
  script: [
    answer(call('get_weather', { city: 'Zürich' })),
    answer(say('In Zürich sind es 7 °C ☀️.')),
    answer(call('get_time', { tz: 'Asia/Tokyo' })),
    answer(say('In 東京 ist es 12:34 Uhr 🕛.')),
    answer(say('Ohne Werkzeuge weiss ich es nicht 🤷.')),
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
      step 1 tool-calls
        call get_time {"tz":"Asia/Tokyo"} by loop
        result get_time text
      step 2 stop
        text
      completed answer
    run 3
      step 1 stop
        text
      completed answer
  `,
  async run({ run, tools }) {
    const { get_weather, get_time } = tools()
    const ask = (choice: ToolChoice) =>
      run('Wetter in Zürich, Zeit in 東京?', { tools: { get_weather, get_time }, toolChoice: choice })
    await ask('required')
    await ask({ type: 'tool', toolName: 'get_time' })
    await ask('none')
  },
  checks: [choiceArrives, firstStepOnly],
}
