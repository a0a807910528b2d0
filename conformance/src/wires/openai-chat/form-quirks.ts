import { arrayOf, isObject, objectOf } from '@steploop/core/adapter'
import { unless, type Check } from '../../check.ts'
import { canonicalJson, without } from '../../json.ts'
import { asksTwice } from '../../scenario-parts/asks.ts'
import type { DerivableExchange, Derivation } from '../../derivation.ts'
import type { AnswerForm } from './answer-form.ts'
import { answerForms } from './answer-forms.ts'
import { callForms } from './call-forms.ts'
import { choiceOf } from './chat-choice.ts'
import type { WireQuirk } from '../variants/quirk.ts'
import { bodies, events, perMode, requests } from '../variants/recipe.ts'

/** The whole message where the base has its own. */
function answerAs({ message, deltas = [message], beside, choice: more, finish }: AnswerForm): Derivation['change'] {
  const end = { ...more, finish_reason: finish?.[0] ?? 'stop' }
  return perMode(
    bodies((body) => {
      const choice = { ...choiceOf(body), message: { role: 'assistant', ...message }, ...end }
      return { ...body, ...beside, choices: [choice] }
    }),
    events((chunk, { index }) => {
      const choice = choiceOf(chunk)
      if (index === 0) return deltas.map((delta) => ({ ...chunk, ...beside, choices: [{ ...choice, delta }] }))
      if (typeof choice['finish_reason'] === 'string')
        return [{ ...chunk, ...beside, choices: [{ ...choice, delta: {}, ...end }] }]
      return isObject(chunk['usage']) ? [{ ...chunk, ...beside }] : []
    }),
  )
}

const thanks: AnswerForm = { message: { content: 'Gern geschehen.' }, parts: [], back: {} }

/** The message goes back behind the question, and the results of its calls name them. */
function sentBack({ back }: AnswerForm): Derivation['change'] {
  return requests((body) => {
    const messages = arrayOf(body['messages']).map((value, index) => {
      const message = objectOf(value)
      if (message['role'] === 'assistant') return { role: 'assistant', ...back }
      if (message['role'] !== 'tool') return message
      return { ...message, tool_call_id: objectOf(arrayOf(back['tool_calls'])[index - 2])['id'] }
    })
    return { ...body, messages }
  })
}

/** A copy of the conversation for each form. */
function inEach(forms: readonly AnswerForm[]): Derivation['change'] {
  return ([asked, next], mode) => {
    const only = (exchange: DerivableExchange | undefined): readonly DerivableExchange[] => (exchange ? [exchange] : [])
    return forms.flatMap((form) => [
      ...answerAs(form)(only(asked), mode),
      ...answerAs(thanks)(sentBack(form)(only(next), mode), mode),
    ])
  }
}

/** @param every how many runs there are for each form */
function eachFormRead(forms: readonly AnswerForm[], every: number): Check {
  return {
    id: 'each-form-read',
    sentence: 'The message holds what the server gave, each part once, and the counts are the server’s.',
    judge: ({ runs }) =>
      forms.flatMap(({ parts, counts = {} }, index) => {
        const step = runs[index * every]?.result?.steps[0]
        const where = `run ${index * every + 1}, step 1`
        // What is the provider's own is told by what goes back.
        const read = (step?.message.content ?? []).map((part) => without({ ...part }, 'providerMetadata'))
        const wanted = { inputTokens: 120, outputTokens: 27, ...counts }
        const counted = Object.fromEntries(Object.entries(step?.usage ?? {}).filter(([, count]) => count !== 0))
        return [
          ...unless(same(read, parts), `the message holds ${canonicalJson(read)}, not ${canonicalJson(parts)}`, where),
          ...unless(
            same(counted, wanted),
            `the usage is ${canonicalJson(counted)}, not ${canonicalJson(wanted)}`,
            where,
          ),
        ]
      }),
  }
}

function same(one: unknown, other: unknown): boolean {
  return canonicalJson(one) === canonicalJson(other)
}

const ends = { stop: 'answer', length: 'length', 'content-filter': 'content-filter' } as const

const answers: WireQuirk = {
  of: 'citations',
  id: 'compatible-answer-forms',
  title: 'What servers add to an answer: each form is read, and what the server wants back goes back.',
  at: ['openai-chat/any-server'],
  recipe: `${answerForms.length} copies, another form of message and usage in each (docs/wire.md#chat-what-servers-add, docs/wire.md#chat-usage)`,
  // What servers report and take from nobody.
  mayLose: ['message.function_call', 'assistant.content'],
  change: inEach(answerForms),
  golden: answerForms
    .map(({ finish: [, finish] = ['stop', 'stop'], parts }, index) => {
      const words = parts.map(({ type, owner }) => (type === 'tool-call' ? `call by ${String(owner)}` : String(type)))
      const end = finish === 'tool-calls' ? 'answer' : ends[finish]
      return [
        `run ${index * 2 + 1}\n  step 1 ${finish}: ${words.join(' + ')}\n  completed ${end}`,
        `run ${index * 2 + 2}\n  step 1 stop: text\n  completed answer`,
      ].join('\n')
    })
    .join('\n'),
  async run(context) {
    for (let copy = 0; copy < answerForms.length; copy++)
      await asksTwice('Wie ist es in Zürich und 東京?', 'Danke! 🙏')(context)
  },
  checks: [eachFormRead(answerForms, 2)],
}

const calls: WireQuirk = {
  of: 'parallel-calls',
  id: 'compatible-call-forms',
  title: 'What servers put into a call: each form runs, and goes back as its provider takes it.',
  at: ['openai-chat/any-server'],
  recipe: `${callForms.length} copies, another form of the calls in each (docs/wire.md#chat-whole-calls)`,
  stressors: { fragments: 'Arguments that are objects are no text that could be cut.' },
  change: inEach(callForms),
  golden: callForms
    .map(
      (_form, index) => `run ${index + 1}
  step 1 tool-calls
    call get_weather {"city":"Zürich"} by loop
    call get_time {"tz":"Asia/Tokyo"} by loop
    result get_weather json
    result get_time text
  step 2 stop: text
  completed answer`,
    )
    .join('\n'),
  async run({ run, tools }) {
    for (let copy = 0; copy < callForms.length; copy++) {
      const { get_weather, get_time } = tools()
      await run('Wetter in Zürich und Zeit in 東京?', { tools: { get_weather, get_time } })
    }
  },
  checks: [eachFormRead(callForms, 1)],
}

export const answerFormQuirks: readonly WireQuirk[] = [answers, calls]
