import type { ToolChoice } from '@steploop/core'
import { unless, type Check, type Failure } from '../check.ts'
import type { Evidence } from '../evidence.ts'
import { wireNames } from '../judge/wire-names.ts'
import { asks } from '../scenario-parts/asks.ts'
import { oneCall, time } from '../scenario-parts/one-call.ts'
import { answered } from '../scenario-parts/goldens.ts'
import type { Scenario } from '../scenario.ts'
import { answer, say } from '../script-parts.ts'

/** What the body says about the choice, as a text; `auto` where it says nothing. A tool is told by its own name. */
function choiceOf({ runs, subject }: Evidence, index: number): string | undefined {
  const view = runs[0]?.requests[index]?.view
  if (view === undefined) return undefined
  const { toolChoice } = view
  if (toolChoice === undefined) return view.tools.length === 0 ? 'none: no tools' : 'auto'
  const names = wireNames(runs[0]?.turns[index]?.request, view, subject)
  const own = [...names].find(([, name]) => typeof toolChoice === 'object' && name === toolChoice.toolName)
  return JSON.stringify(own === undefined ? toolChoice : { type: 'tool', toolName: own[0] })
}

const says = (evidence: Evidence, index: number, pattern: RegExp): readonly Failure[] => {
  const choice = choiceOf(evidence, index)
  const where = `request ${index + 1}`
  return unless(choice === undefined || pattern.test(choice), `the body says ${choice}, which is not ${pattern}`, where)
}

const arrives = (pattern: RegExp): Check => ({
  id: 'choice-arrives',
  sentence: 'The choice reaches the body in the words of the wire format, and no warning takes it back.',
  judge: (evidence) => [
    ...says(evidence, 0, pattern),
    ...(evidence.runs[0]?.turns[0]?.events ?? [])
      .flatMap((event) => (event.type === 'turn-start' ? (event.warnings ?? []) : []))
      .filter(({ path }) => path === 'toolChoice')
      .map(({ message }) => ({ message: `the choice is claimed, and a warning says: ${message}`, where: 'request 1' })),
  ],
})

const firstStepOnly = (pattern: RegExp): Check => ({
  id: 'forced-once',
  sentence: 'A forced choice applies to the first step only: a model that must call for ever never answers.',
  judge: (evidence) => says(evidence, 1, pattern),
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
