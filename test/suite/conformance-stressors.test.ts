import { runConformance, type Subject } from '@steploop/conformance'
import type { CheckReport } from '@steploop/conformance/cli'
import { AdapterError } from '@steploop/core'
import { objectOf, type TurnRequest } from '@steploop/core/adapter'
import { expect, test } from 'vitest'
import { subjectNamed } from '../scratch.ts'
import { behind, emitting, faulty, hostile, mutantNamed, plain } from './broken-subject.ts'

const correct = subjectNamed('anthropic')

async function stressed(subject: Subject, stress: string, scenario = 'single-call'): Promise<CheckReport> {
  const report = await runConformance([subject], {
    scenario: [scenario],
    mode: 'stream',
    stress: [stress],
    deadline: 2_000,
  })
  const id = stress.split('@')[0]
  return report.cases[0]!.checks.find((check) => check.id === id)!
}

/** What a failed stressor says, and the variant that it names. */
async function failureOf(subject: Subject, stress: string, scenario?: string) {
  const { failures, verdict } = await stressed(subject, stress, scenario)
  expect(verdict).toBe('fail')
  const message = failures[0]!.message
  return { message, variant: /--stress (\S+)$/.exec(message)?.[1] ?? 'none' }
}

const broken = (id: string): Subject => mutantNamed(id).apply(correct)

test('a fault at one cut shrinks to that cut: its bytes, both event lists, and the command that repeats it', async () => {
  const { message, variant } = await failureOf(broken('utf8-per-chunk'), 'rechunk', 'no-arguments')
  expect(message).toMatch(/^response \d gives other events when it is cut at byte \d+ of \d+, ….*\\x..\|\\x/)
  expect(message).toMatch(/^> .* \| .*\uFFFD/m)
  expect(variant).toMatch(/^rechunk@\d\/\d+$/)
  const again = await failureOf(broken('utf8-per-chunk'), variant, 'no-arguments')
  expect(again.message).toBe(message)
  expect((await stressed(correct, variant, 'no-arguments')).verdict).toBe('pass')
})

test('a noise that one event cannot bear shrinks to that event', async () => {
  const picky = behind(correct, (text) => text.replace('data:{"type":"message_delta"', 'lost:{"type":"message_delta"'))
  const { message, variant } = await failureOf(picky, 'noise')
  expect(message).toMatch(/^with no blank after the colon at event \d+ of \d+ .*message_delta/)
  expect(variant).toMatch(/^noise@\d\/no-blank$/)
  expect((await failureOf(broken('data-line-only'), variant)).message).toContain('no blank after the colon')
})

test('an adapter that skips an error in the middle of a stream fails `refuse`, with what was sent', async () => {
  const forgiving = behind(correct, (text) => text.replaceAll(/^event: error\n.*\n\n/gm, ''))
  const { message, variant } = await failureOf(forgiving, 'refuse')
  expect(message).toMatch(/^with `error-in-between` .* at payload \d+ of \d+, the turn counts as a finished one/)
  expect(message).toContain('"overloaded_error"')
  expect(variant).toBe('refuse@1/error-in-between')
})

test('a value that is sent as another one is found again when it is repeated alone', async () => {
  const rounding = faulty(correct, (adapter) => (request, context) => {
    const { temperature } = request.settings ?? {}
    const settings = temperature === undefined ? request.settings : { ...request.settings, temperature: 0 }
    return adapter.turn({ ...request, settings }, context)
  })
  const { message, variant } = await failureOf(rounding, 'requests', 'text-only')
  expect(message).toMatch(/^`temperature-2`: the request is that of another value of `temperature`/)
  expect(variant).toBe('requests@temperature-2')
  expect((await failureOf(rounding, variant, 'text-only')).message).toBe(message)
})

test('an adapter that gives up on a 503 fails `flaky`', async () => {
  const { message, variant } = await failureOf(broken('no-failure-retryable'), 'flaky')
  expect(message).toMatch(/^with a 503 in place of answer 1: the run gives another trace/)
  expect(variant).toBe('flaky@1/503')
})

test('an adapter that loses the delay of a 429 fails `flaky`, with what it waited', async () => {
  const { message } = await failureOf(broken('retry-after-ignored'), 'flaky@1/429')
  expect(message).toMatch(
    /a 429 that asks for 7 seconds in place of answer 1: the provider asks for 7000 ms, it waited/,
  )
})

test('an adapter that does not listen to the caller leaves the connection open, and `abort` tells when', async () => {
  const { message, variant } = await failureOf(broken('abort-leaks-connection'), 'abort', 'text-only')
  expect(message).toMatch(/^the caller (aborts|leaves the iteration) after event \d+ \('[a-z-]+'\), and the provider/)
  expect(message).toContain('the connection to the provider stays open')
  expect(variant).toMatch(/^abort@\d+-(signal|break)-stall$/)
})

test('correct adapters pass all of these, and slow stressors run with `full` only', async () => {
  const order = { scenario: ['single-call'], mode: 'stream' } as const
  const quick = await runConformance([correct], order)
  const full = await runConformance([correct], { ...order, full: true })
  const [few, all] = [quick, full].map(({ cases }) => cases[0]!.checks.map(({ id }) => id))
  expect([quick.ok, full.ok]).toEqual([true, true])
  expect(all).toEqual(expect.arrayContaining(['flaky', 'abort', ...few!]))
  expect(few).not.toContain('flaky')
  expect(few).not.toContain('abort')
  expect(full.variants).toBeGreaterThan(quick.variants * 5)
})

test('a variant that there is not, and a stressor that there is not, are named', async () => {
  const { failures } = await stressed(correct, 'rechunk@9/9')
  expect(failures[0]?.message).toMatch(/no variant '9\/9' of `rechunk`/)
  await expect(stressed(correct, 'shake')).rejects.toThrow(/no stressor 'shake'\. There are: rechunk, noise/)
})

test('an adapter that tells the body of a refusal as it came fails `secrets`, with what came back', async () => {
  const { message, variant } = await failureOf(broken('key-in-error-message'), 'secrets')
  expect(message).toMatch(/^with the keys in the message and the headers of a refusal: the API key is in there/)
  expect(variant).toBe('secrets@refusal')
})

test.each(['stable', 'twins'])('an adapter that hangs in a turn fails `%s`, and the run ends', async (stress) => {
  const hanging: Subject = {
    ...correct,
    adapter(options) {
      const adapter = correct.adapter(options)
      return {
        ...adapter,
        async *turn(...asked) {
          try {
            yield* adapter.turn(...asked)
          } catch {
            await new Promise<never>(() => {})
          }
        },
      }
    },
  }
  const [failure] = (await stressed(hanging, stress)).failures
  expect(failure?.message).toContain(`\`${stress}\` did not get to its end: NotSettled: the turn did not settle within`)
})

test.each(['long', 'tolerate', 'requests'])(
  '`%s` asks in no mode for what is claimed for the other one',
  async (stress) => {
    const generating = hostile(correct, (adapter) => ({
      ...plain(adapter),
      capabilities: { ...adapter.capabilities, tools: { generate: true, stream: false } },
      turn({ tools, ...request }, context) {
        if (tools !== undefined) throw new Error('no stream has tools')
        return adapter.turn(request, context)
      },
    }))
    expect((await stressed(generating, stress, 'text-only')).failures).toEqual([])
  },
)

/** Turns with what `change` makes of them. */
const asking = (change: (request: TurnRequest) => TurnRequest): Subject =>
  faulty(correct, (adapter) => (request, context) => adapter.turn(change(request), context))

const wordsFirst = asking((request) => ({
  ...request,
  messages: request.messages.map((message) =>
    message.role === 'user' && typeof message.content !== 'string'
      ? { ...message, content: message.content.toSorted((one, other) => other.type.localeCompare(one.type)) }
      : message,
  ),
}))

const listsUnwrapped = asking((request) => ({
  ...request,
  messages: request.messages.map((message) =>
    message.role === 'assistant'
      ? {
          ...message,
          content: message.content.map((part) =>
            part.type === 'tool-call' ? { ...part, input: { ...objectOf(part.input), words: 'true' } } : part,
          ),
        }
      : message,
  ),
}))

const withInputs = (change: (text: string) => string): Subject =>
  emitting(correct, (event) => {
    if (event.type !== 'tool-call') return [event]
    const inputText = change(event.inputText)
    return [{ ...event, inputText, input: JSON.parse(inputText) as unknown }]
  })

test.each<readonly [fault: string, subject: Subject, stress: string, message: RegExp]>([
  [
    'puts words before pictures',
    wordsFirst,
    'requests@picture-between-words',
    /stands before 'iVBOR.*and nobody is told/,
  ],
  ['takes digits for a number', withInputs((text) => text.replace('"007"', '7')), 'tolerate@odd-input', /"digits":7,/],
  [
    'unwraps a list of one',
    withInputs((text) => text.replace('["true"]', '"true"')),
    'tolerate@odd-input',
    /"words":"true"/,
  ],
  [
    'sends other arguments than came',
    listsUnwrapped,
    'requests@call-with-odd-arguments',
    /a call goes back with the arguments .*"words":"true"/,
  ],
])('an adapter that %s is red', async (_fault, subject, stress, message) => {
  expect((await stressed(correct, stress, 'text-only')).failures).toEqual([])
  expect((await failureOf(subject, stress, 'text-only')).message).toMatch(message)
})

const words: Readonly<Record<string, string>> = {
  'rate-limited': 'rate_limit_error',
  'insufficient-credit': 'billing_error',
  overloaded: 'overloaded_error',
}

const eventOf = (type: string): string =>
  `event: error\ndata: ${JSON.stringify({ type: 'error', error: { type, message: 'It is so.' } })}\n\n`

/** Has a word for three failures, whose status says nothing, and one for all others. */
const wordy =
  (frameOf: (type: string) => string): NonNullable<Subject['simulate']> =>
  () =>
  (_, next) => {
    const turn = next()
    const type = (turn.type === 'failure' && words[turn.failure]) || 'api_error'
    const isInside = turn.type === 'failure' && turn.location === 'body'
    return isInside ? { frames: [frameOf(type)] } : { status: 529, body: { type: 'error', error: { type } } }
  }

const oops = /oops kind=(\w+) :It is so.\n/

test.each<readonly [form: string, subject: Subject]>([
  ['JSON', { ...correct, simulate: wordy(eventOf) }],
  [
    'lines of text',
    {
      ...behind(correct, (text) => text.replace(oops, (_, type: string) => eventOf(type))),
      simulate: wordy((type) => `oops kind=${type} :It is so.\n`),
    },
  ],
])(
  'in %s a failure that a simulator has a word for keeps its meaning inside a stream; one that it has none for is not asked',
  async (_form, subject) => {
    expect((await stressed(subject, 'errors', 'text-only')).verdict).toBe('pass')
    expect((await stressed(subject, 'errors@context-overflow-in-body', 'text-only')).failures[0]?.message).toMatch(
      /^there is no variant/,
    )
    const vague = faulty(
      subject,
      (adapter) =>
        async function* (request, context) {
          try {
            yield* adapter.turn(request, context)
          } catch (error) {
            if (AdapterError.isInstance(error) && error.status === undefined)
              throw new AdapterError({ provider: adapter.provider, model: adapter.model, code: 'server-error' })
            throw error
          }
        },
    )
    const { message } = await failureOf(vague, 'errors@insufficient-credit-in-body', 'text-only')
    expect(message).toMatch(/^`insufficient-credit` is `server-error`, not `insufficient-credit`, for status 200/)
  },
)

test('what there is nothing to try for is not applicable, and says so', async () => {
  const { verdict, reason } = await stressed(correct, 'order', 'text-only')
  expect([verdict, reason]).toEqual(['not-applicable', 'no calls of a first step run side by side'])
})
