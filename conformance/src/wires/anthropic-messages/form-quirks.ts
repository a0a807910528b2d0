import { answersInForms, callsInForms } from '../variants/answer-forms.ts'
import type { WireQuirk } from '../variants/quirk.ts'
import { answerAs, sentBack } from './answer-form.ts'
import { answerForms } from './answer-forms.ts'
import { callForms } from './call-forms.ts'

const answers: WireQuirk = {
  id: 'anthropic-answer-forms',
  title:
    'Blocks of an answer that only some requests get, and blocks of new kinds: each is read, and goes back as it came.',
  at: ['anthropic-messages/anthropic'],
  recipe: `${answerForms.length} copies, other blocks and counts in each (docs/wire.md#anthropic-whole-blocks, docs/wire.md#anthropic-usage)`,
  stressors: { noise: 'Noise turns the keys of every object round, and inputs of these calls are objects.' },
  ...answersInForms({ forms: answerForms, answerAs, sentBack }),
}

const calls: WireQuirk = {
  id: 'anthropic-call-forms',
  title: 'Calls as proxies write them: each form runs, and goes back as the API takes it.',
  at: ['anthropic-messages/anthropic'],
  recipe: `${callForms.length} copies, another form of the calls in each (docs/wire.md#anthropic-input-at-the-start-of-a-block)`,
  ...callsInForms({ forms: callForms, answerAs, sentBack }),
}

export const anthropicMessagesForms: readonly WireQuirk[] = [answers, calls]
