import type { TurnRequest } from '@steploop/core/adapter'
import { runConformance, type Subject } from '@steploop/conformance'
import { expect, test } from 'vitest'
import { behind, faulty, mutantNamed, silent, emitting } from './broken-subject.ts'
import { subjectNamed } from '../scratch.ts'

const correct = subjectNamed('openai-compatible')

const asking = (change: (request: TurnRequest) => TurnRequest): Subject =>
  faulty(correct, (adapter) => (request, context) => adapter.turn(change(request), context))

const sending = (change: (body: string) => string): Subject => ({
  ...correct,
  adapter: (options) =>
    correct.adapter({
      ...options,
      fetch: async (input, init) =>
        options.fetch!(input, { ...init, body: change(await new Request(input, init).text()) }),
    }),
})

interface Fault {
  readonly title: string
  readonly subject: Subject
  readonly scenario: string
  readonly check: string
  readonly text: string
}

const faults: readonly Fault[] = [
  {
    title: 'usage that is lost',
    subject: silent(correct),
    scenario: 'text-only',
    check: 'usage-adds-up',
    text: 'run 1, step 1: its `turn-end` has no `usage` with `inputTokens` and `outputTokens`; take both from the response, in a stream from wherever they come',
  },
  {
    title: 'results in another order than their calls',
    subject: asking((request) => ({
      ...request,
      messages: request.messages.map((message) =>
        message.role === 'tool' ? { ...message, content: message.content.toReversed() } : message,
      ),
    })),
    scenario: 'parallel-calls',
    check: 'paired',
    text: 'run 1, request 2, messages[3]: the result call_sim1n1 stands after that of a later call; encode the results of a `tool` message in their order',
  },
  {
    title: 'a result that is forgotten',
    subject: asking((request) => ({ ...request, messages: request.messages.filter(({ role }) => role !== 'tool') })),
    scenario: 'single-call',
    check: 'paired',
    text: 'run 1, request 2, messages[1].tool_calls[0]: the call get_weather (call_sim1n1) has no result after it; encode every result of a `tool` message, once',
  },
  {
    title: 'options of the first turn only',
    subject: mutantNamed('provider-options-first-turn-only').apply(correct),
    scenario: 'provider-options',
    check: 'same-builder',
    text: 'run 1, request 2: `metadata` of the body was {"ticket":"Zürich-東京-42"} in request 1 and is not there now; encode each turn from the same request',
  },
  {
    title: 'a turn that ends twice',
    subject: emitting(correct, (event) => (event.type === 'turn-end' ? [event, event] : [event])),
    scenario: 'text-only',
    check: 'turn-events',
    text: 'run 1, turn 1: there are 2 `turn-end` events, not one; push it in `end()`, or at the end of `decode`',
  },
  {
    title: 'arguments that stay a text',
    subject: emitting(correct, (event) => [
      event.type === 'tool-call' ? { ...event, input: { arguments: event.inputText ?? '' } } : event,
    ]),
    scenario: 'single-call',
    check: 'golden',
    text: `the trace differs from the golden skeleton of the scenario \`single-call\` (- expected, + got):
  run 1
    step 1 tool-calls
-     call get_weather {"city":"Zürich"} by loop
-     result get_weather json
-   step 2 stop
-     text
-   completed answer
+     call get_weather {"arguments":"{\\"city\\":\\"Zürich\\"}"} by loop
+     result get_weather error invalid-input
+   failed turn-failed from bad-request
Fix the adapter; where the scenario \`single-call\` is wrong, change its golden; where the provider really differs, declare a quirk with its reason, and where it has no words for this, say so in \`noWordsFor\`.`,
  },
  {
    title: 'a key in an error',
    subject: mutantNamed('key-in-error-message').apply(correct),
    scenario: 'bad-key',
    check: 'no-secrets',
    text: [
      'run 1, events: the API key is in there; clean what a provider or a proxy sends back before it is told',
      'run 1, turn events: the API key is in there; clean what a provider or a proxy sends back before it is told',
      'run 1, error: the API key is in there; clean what a provider or a proxy sends back before it is told',
    ].join('\n'),
  },
  {
    title: 'a field that nobody asked for',
    subject: sending((body) => body.replace('{', '{"surprise":true,')),
    scenario: 'text-only',
    check: 'as-recorded',
    text: `text-only.stream.yaml, exchange 1 of 1: POST https://chat.example.com/v1/chat/completions fits no unconsumed exchange. The nearest is exchange 1 of 1:
  body.surprise: expected nothing / got true
Record the cassette anew, or rebase it if the request changed on purpose; a field that differs from run to run belongs in match.mask.`,
  },
  {
    title: 'an end that was never announced',
    subject: faulty(
      correct,
      (adapter) =>
        async function* endingTurn(request, context) {
          try {
            yield* adapter.turn(request, context)
          } catch {
            yield [{ type: 'turn-end', finishReason: 'stop' }]
          }
        },
    ),
    scenario: 'text-only',
    check: 'truncate@1/0-eof',
    text: `run 1, turn 1: response 1 is cut at byte N of N (clean end), …: it is taken for a finished turn, although its end was not announced
       whole                                                      | cut
>    1 {"type":"turn-start","responseId":"chatcmpl-sim1","model"… | {"type":"turn-end","finishReason":"stop"}
     2 {"type":"text-start","part":0}                             | (nothing)
     3 {"type":"text-delta","part":0,"text":"Gr"}                 | (nothing)
     4 {"type":"text-delta","part":0,"text":"üezi "}              | (nothing)
       … N more
repeat: pnpm conformance --only openai-compatible --scenario text-only --mode stream --stress truncate@1/0-eof`,
  },
  {
    title: 'an event that is not understood',
    subject: behind(correct, (text) =>
      text.replace(/^data: \{"id":"","object".*$/m, 'data: {"error":{"message":"empty"}}'),
    ),
    scenario: 'text-only',
    check: 'tolerate@1/chunk-without-choices',
    text: `run 1, turn 1: with \`chunk-without-choices\` (Azure begins with one, others send usage so) at payload 1 of N, the answer is another one; in its place stands
  {"id":"","object":"chat.completion.chunk","created":0,"model":"","choices":[]}
  {"id":"chatcmpl-sim1",…
       as recorded                                                | chunk-without-choices
>    1 {"type":"turn-start","responseId":"chatcmpl-sim1","model"… | (nothing)
     2 {"type":"text-start","part":0}                             | (nothing)
     3 {"type":"text-delta","part":0,"text":"Gr"}                 | (nothing)
     4 {"type":"text-delta","part":0,"text":"üezi "}              | (nothing)
       … N more
chunk-without-choices throws 'unknown' (…); as recorded throws nothing
repeat: pnpm conformance --only openai-compatible --scenario text-only --mode stream --stress tolerate@1/chunk-without-choices`,
  },
  {
    title: 'a cassette that is not there, of a subject with a simulator of its own',
    subject: { ...correct, cassettes: 'no-such-folder', simulate: () => () => ({}) },
    scenario: 'text-only',
    check: 'cassette',
    text: 'there is no cassette text-only.stream.yaml. Record it: steploop record --simulator --only openai-compatible --scenario text-only --mode stream',
  },
  {
    title: 'a cassette that is not there',
    subject: { ...correct, cassettes: 'no-such-folder' },
    scenario: 'text-only',
    check: 'cassette',
    text: 'there is no cassette text-only.stream.yaml. Record it: steploop record --only openai-compatible --scenario text-only --mode stream',
  },
]

/** Without what changes with a recording and with the machine: sizes, folders, long payloads. */
function fixed(text: string): string {
  return text
    .replaceAll(/(?:[^\s']*\/)?(text-only\.stream\.yaml)/g, '$1')
    .replaceAll(/byte \d+ of \d+/g, 'byte N of N')
    .replaceAll(/(payload \d+ of) \d+/g, '$1 N')
    .replaceAll(/… \d+ more/g, '… N more')
    .replace(/(\(clean end\), )….*?…: it/, '$1…: it')
    .replace(/^( {2}\{"id":"chatcmpl-sim1",).*/m, '$1…')
    .replace(/(throws '\w+' )\(.*?\);/, '$1(…);')
}

test.each(faults)('$title is reported in words that need no code', async ({ subject, scenario, check, text }) => {
  const stress = /@/.test(check) ? [check] : []
  const order = { scenario: [scenario], mode: 'stream', stress, command: 'pnpm conformance' } as const
  const report = await runConformance([subject], order)
  const id = check.split('@')[0]
  const found = report.cases[0]!.checks.find((one) => one.id === id)!
  const lines = found.failures.map(({ message, where }) => (where === undefined ? message : `${where}: ${message}`))
  expect(fixed(lines.join('\n'))).toBe(text)
})
