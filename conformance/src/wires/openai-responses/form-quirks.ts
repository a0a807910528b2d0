import { answersInForms, callsInForms } from '../variants/answer-forms.ts'
import type { WireQuirk } from '../variants/quirk.ts'
import { answerAs, sentBack } from './answer-form.ts'
import { answerForms } from './answer-forms.ts'
import { callForms } from './call-forms.ts'
import { hostedForms } from './hosted-forms.ts'
import { streamForms } from './stream-forms.ts'

const forms = [...answerForms, ...streamForms]

const answers: WireQuirk = {
  id: 'responses-answer-forms',
  title: 'What servers give as the output of a response: each form is read, new kinds too, and goes back as it came.',
  at: ['openai-responses/openai'],
  recipe: `${forms.length} copies, other items and events in each (docs/wire.md#responses-mixed-output, docs/wire.md#responses-empty-reasoning)`,
  // Thoughts that led to nothing.
  mayLose: ['assistant.content'],
  ...answersInForms({ forms, answerAs, sentBack }),
}

const calls: WireQuirk = {
  id: 'responses-call-forms',
  title: 'Function calls in the items and events of other servers: each form runs, and goes back as text under its id.',
  at: ['openai-responses/openai'],
  recipe: `${callForms.length} copies, other items and events of the calls in each (docs/wire.md#responses-arguments-without-deltas, docs/wire.md#responses-item-ids-that-change)`,
  ...callsInForms({ forms: callForms, answerAs, sentBack }),
}

const hosted: WireQuirk = {
  id: 'responses-hosted-forms',
  title:
    'Results that are items of their own, and items of hosted tools that hold little: each is read, and goes back as it came.',
  at: ['openai-responses/in-full'],
  recipe: `${hostedForms.length} copies, items of other hosted tools in each (docs/wire.md#responses-shell-calls, docs/wire.md#responses-tool-search)`,
  stressors: { noise: 'Noise turns the keys of every object round, and inputs of these calls are objects.' },
  ...answersInForms({ forms: hostedForms, answerAs, sentBack }),
}

export const openaiResponsesForms: readonly WireQuirk[] = [answers, calls, hosted]
