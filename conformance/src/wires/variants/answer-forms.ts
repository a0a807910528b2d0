import type { JsonObject } from '@steploop/core/adapter'
import { unless, type Check } from '../../check.ts'
import type { DerivableExchange, Derivation } from '../../derivation.ts'
import { canonicalJson, without } from '../../json.ts'
import { asksTwice } from '../../scenario-parts/asks.ts'
import type { WireQuirk } from './quirk.ts'

/** A form in which a provider gives an answer, and what has to be read of it. */
export interface AnswerForm {
  /** The provider's finish reason, and the neutral one. Default: that of the base, a stop. */
  readonly finish?: readonly [raw: string, neutral: 'stop' | 'length' | 'content-filter' | 'tool-calls']
  /** Parts of the message, without what is the provider's own. */
  readonly parts: readonly JsonObject[]
  /** What counts of the usage beside 120 tokens in and 27 out, or in their place. */
  readonly counts?: JsonObject
  /** Log-probabilities of the tokens. Default: none. */
  readonly logprobs?: readonly JsonObject[]
}

/** How a format tells a form. */
export interface FormOptions<Form extends AnswerForm> {
  readonly forms: readonly Form[]
  /** The answer of the base in this form. */
  readonly answerAs: (form: Form) => Derivation['change']
  /** The request after it: the form as it goes back. */
  readonly sentBack: (form: Form) => Derivation['change']
}

/** A copy of a conversation of two exchanges for each form. */
function inEach<Form extends AnswerForm>(options: FormOptions<Form>): Derivation['change'] {
  const { forms, answerAs, sentBack } = options
  return ([asked, next], mode) => {
    const only = (exchange: DerivableExchange | undefined): readonly DerivableExchange[] => (exchange ? [exchange] : [])
    return forms.flatMap((form) => [...answerAs(form)(only(asked), mode), ...sentBack(form)(only(next), mode)])
  }
}

/** @param every how many runs there are for each form */
function eachFormRead(forms: readonly AnswerForm[], every: number): Check {
  return {
    id: 'each-form-read',
    sentence:
      'The message holds what the server gave, each part once, and counts and log-probabilities are the server’s.',
    judge: ({ runs }) =>
      forms.flatMap(({ parts, counts = {}, logprobs = [] }, index) => {
        const step = runs[index * every]?.result?.steps[0]
        const where = `run ${index * every + 1}, step 1`
        // What is the provider's own is told by what goes back.
        const read = (step?.message.content ?? []).map((part) => without({ ...part }, 'providerMetadata'))
        const wanted = { inputTokens: 120, outputTokens: 27, ...counts }
        const counted = Object.fromEntries(Object.entries(step?.usage ?? {}).filter(([, count]) => count !== 0))
        const logged = step?.logprobs ?? []
        return [
          ...unless(same(read, parts), `the message holds ${canonicalJson(read)}, not ${canonicalJson(parts)}`, where),
          ...unless(
            same(counted, wanted),
            `the usage is ${canonicalJson(counted)}, not ${canonicalJson(wanted)}`,
            where,
          ),
          ...unless(
            same(logged, logprobs),
            `the log-probabilities are ${canonicalJson(logged)}, not ${canonicalJson(logprobs)}`,
            where,
          ),
        ]
      }),
  }
}

function same(one: unknown, other: unknown): boolean {
  return canonicalJson(one) === canonicalJson(other)
}

const ends = { stop: 'answer', 'tool-calls': 'answer', length: 'length', 'content-filter': 'content-filter' } as const

/** Answers to a question, and what goes back with the next one: the `citations` of the base without their sources. */
export function answersInForms<Form extends AnswerForm>(
  options: FormOptions<Form>,
): Pick<WireQuirk, 'of' | 'change' | 'golden' | 'run' | 'checks'> {
  const { forms } = options
  return {
    of: 'citations',
    change: inEach(options),
    golden: forms
      .map(({ finish: [, finish] = ['', 'stop'], parts }, index) => {
        const all = parts.map(({ type, owner }) => (type === 'tool-call' ? `call by ${String(owner)}` : String(type)))
        // A skeleton has texts that follow each other as one.
        const words = all.filter((word, at) => word !== 'text' || all[at - 1] !== word)
        return [
          `run ${index * 2 + 1}\n  step 1 ${finish}: ${words.join(' + ')}\n  completed ${ends[finish]}`,
          `run ${index * 2 + 2}\n  step 1 stop: text\n  completed answer`,
        ].join('\n')
      })
      .join('\n'),
    async run(context) {
      for (let copy = 0; copy < forms.length; copy++)
        await asksTwice('Wie ist es in Zürich und 東京?', 'Danke! 🙏')(context)
    },
    checks: [eachFormRead(forms, 2)],
  }
}

/** Two calls in forms, and how they go back: the `parallel-calls` of the base. */
export function callsInForms<Form extends AnswerForm>(
  options: FormOptions<Form>,
): Pick<WireQuirk, 'of' | 'change' | 'golden' | 'run' | 'checks' | 'stressors'> {
  const { forms } = options
  return {
    of: 'parallel-calls',
    stressors: { fragments: 'Arguments that are objects are no text that could be cut.' },
    change: inEach(options),
    golden: forms
      .map(
        ({ parts: [first] }, index) => `run ${index + 1}
  step 1 tool-calls${first?.['type'] === 'reasoning' ? '\n    reasoning' : ''}
    call get_weather {"city":"Zürich"} by loop
    call get_time {"tz":"Asia/Tokyo"} by loop
    result get_weather json
    result get_time text
  step 2 stop: text
  completed answer`,
      )
      .join('\n'),
    async run({ run, tools }) {
      for (let copy = 0; copy < forms.length; copy++) {
        const { get_weather, get_time } = tools()
        await run('Wetter in Zürich und Zeit in 東京?', { tools: { get_weather, get_time } })
      }
    },
    checks: [eachFormRead(forms, 1)],
  }
}
