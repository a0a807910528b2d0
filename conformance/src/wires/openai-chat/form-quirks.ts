import { arrayOf, isObject, objectOf } from '@steploop/core/adapter'
import type { Derivation } from '../../derivation.ts'
import type { ChatForm } from './answer-form.ts'
import { answerForms } from './answer-forms.ts'
import { callForms } from './call-forms.ts'
import { choiceOf } from './chat-choice.ts'
import { leaveOut } from '../simulate/leave-out.ts'
import { answersInForms, callsInForms } from '../variants/answer-forms.ts'
import type { WireQuirk } from '../variants/quirk.ts'
import { bodies, both, events, perMode, requests } from '../variants/recipe.ts'

/** The whole message where the base has its own. */
function answerAs({ message, deltas = [message], beside, choice: more, finish }: ChatForm): Derivation['change'] {
  const end = { ...more, finish_reason: finish?.[0] ?? 'stop' }
  return perMode(
    bodies((body) => {
      const choice = { ...choiceOf(body), message: { role: 'assistant', ...message }, ...end }
      return { ...body, ...beside, choices: [choice] }
    }),
    events((given, { index }) => {
      // Compatible servers leave out what only OpenAI writes.
      const chunk = leaveOut(given, ['object', 'created', 'service_tier', 'system_fingerprint', 'obfuscation'])
      const choice = choiceOf(chunk)
      if (index === 0) return deltas.map((delta) => ({ ...chunk, ...beside, choices: [{ ...choice, delta }] }))
      if (typeof choice['finish_reason'] === 'string')
        return [{ ...chunk, ...beside, choices: [{ ...choice, delta: {}, ...end }] }]
      return isObject(chunk['usage']) ? [{ ...chunk, ...beside }] : []
    }),
  )
}

const thanks = answerAs({ message: { content: 'Gern geschehen.' }, parts: [], back: {} })

/** The message goes back behind the question, and the results of its calls name them. */
function sentBack({ back }: ChatForm): Derivation['change'] {
  const change = requests((body) => {
    const messages = arrayOf(body['messages']).map((value, index) => {
      const message = objectOf(value)
      if (message['role'] === 'assistant') return { role: 'assistant', ...back }
      if (message['role'] !== 'tool') return message
      return { ...message, tool_call_id: objectOf(arrayOf(back['tool_calls'])[index - 2])['id'] }
    })
    return { ...body, messages }
  })
  return both(change, thanks)
}

const answers: WireQuirk = {
  id: 'compatible-answer-forms',
  title: 'What servers add to an answer: each form is read, and what the server wants back goes back.',
  at: ['openai-chat/any-server'],
  recipe: `${answerForms.length} copies, another form of message and usage in each (docs/wire.md#chat-what-servers-add, docs/wire.md#chat-usage)`,
  // What servers report and take from nobody.
  mayLose: ['message.function_call', 'assistant.content'],
  ...answersInForms({ forms: answerForms, answerAs, sentBack }),
}

const calls: WireQuirk = {
  id: 'compatible-call-forms',
  title: 'What servers put into a call: each form runs, and goes back as its provider takes it.',
  at: ['openai-chat/any-server'],
  recipe: `${callForms.length} copies, another form of the calls in each (docs/wire.md#chat-whole-calls)`,
  ...callsInForms({ forms: callForms, answerAs, sentBack }),
}

export const answerFormQuirks: readonly WireQuirk[] = [answers, calls]
