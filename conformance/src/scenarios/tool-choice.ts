import type { ToolChoice } from '@steploop/core'
import { unless, type Check, type Failure } from '../check.ts'
import type { SentRequest } from '../evidence.ts'
import { asks } from '../scenario-parts/asks.ts'
import { oneCall, time } from '../scenario-parts/one-call.ts'
import { answered } from '../scenario-parts/goldens.ts'
import type { Scenario } from '../scenario.ts'
import { answer, say } from '../script-parts.ts'

/** What the body says about the choice, as a text; `auto` where it says nothing. */
function choiceOf(request: SentRequest | undefined): string | undefined {
  const view = request?.view
  if (view === undefined) return undefined
  if (view.toolChoice !== undefined) return JSON.stringify(view.toolChoice)
  return view.tools.length === 0 ? 'none: no tools' : 'auto'
}

const says = (request: SentRequest | undefined, pattern: RegExp, where: string): readonly Failure[] => {
  const choice = choiceOf(request)
  return unless(choice === undefined || pattern.test(choice), `the body says ${choice}, which is not ${pattern}`, where)
}

const arrives = (pattern: RegExp): Check => ({
  id: 'choice-arrives',
  sentence: 'The choice reaches the body in the words of the wire format, and no warning takes it back.',
  judge: ({ runs }) => [
    ...says(runs[0]?.requests[0], pattern, 'request 1'),
    ...(runs[0]?.turns[0]?.events ?? [])
      .flatMap((event) => (event.type === 'turn-start' ? (event.warnings ?? []) : []))
      .filter(({ path }) => path === 'toolChoice')
      .map(({ message }) => ({ message: `the choice is claimed, and a warning says: ${message}`, where: 'request 1' })),
  ],
})

const firstStepOnly = (pattern: RegExp): Check => ({
  id: 'forced-once',
  sentence: 'A forced choice applies to the first step only: a model that must call for ever never answers.',
  judge: ({ runs }) => says(runs[0]?.requests[1], pattern, 'request 2'),
})

const stressors = {
  resume: 'A forced choice applies to the first step of a run, and a run that is resumed has another one.',
}

interface Kind extends Pick<Scenario, 'id' | 'title' | 'script' | 'golden' | 'checks'> {
  readonly choice: ToolChoice
}

function choosing({ choice, ...scenario }: Kind): Scenario {
  return {
    ...scenario,
    appliesTo: { requires: ['tools', `toolChoice:${typeof choice === 'string' ? choice : choice.type}`], stressors },
    run: asks('Wetter in Zürich, Zeit in 東京?', ['get_weather', 'get_time'], { toolChoice: choice }),
  }
}

/** One for each kind: an adapter that claims one of them is held to that one. */
export const toolChoiceScenarios: readonly Scenario[] = [
  choosing({
    id: 'tool-choice-auto',
    title: 'The model is told that it may choose.',
    choice: 'auto',
    ...oneCall('In Zürich sind es 7 °C ☀️, nicht in 東京.'),
    checks: [
      arrives(/auto/),
      { ...firstStepOnly(/auto/), id: 'chosen-in-every-step', sentence: 'It is told so in every step.' },
    ],
  }),
  choosing({
    id: 'tool-choice-required',
    title: 'Any tool is forced, in the first step.',
    choice: 'required',
    ...oneCall('In Zürich sind es 7 °C ☀️, nicht in 東京.'),
    checks: [arrives(/required/), firstStepOnly(/auto/)],
  }),
  choosing({
    id: 'tool-choice-named',
    title: 'One tool is forced, in the first step.',
    choice: { type: 'tool', toolName: 'get_time' },
    ...oneCall('In 東京 ist es 12:34 Uhr 🕛, Zürich schläft.', time),
    checks: [arrives(/get_time/), firstStepOnly(/auto/)],
  }),
  choosing({
    id: 'tool-choice-none',
    title: 'Tools are there, and forbidden.',
    choice: 'none',
    script: [answer(say('Ohne Werkzeuge weiss ich es nicht 🤷, weder Zürich noch 東京.'))],
    golden: answered,
    checks: [arrives(/none/)],
  }),
]
