import type { Message, ProviderMetadata } from '@steploop/core/adapter'
import type { Check } from '../check.ts'
import type { Scenario } from '../scenario.ts'
import { counters } from '../scenario-parts/run-counters.ts'
import { oneCall } from '../scenario-parts/one-call.ts'
import { textsIn } from '../scenario-parts/texts-in.ts'

const thought = 'Erst Zürich, dann 東京, dachte das andere Modell.'
const secret = 'opaque-of-another-provider-5f1c'
const found = 'Der Turm in 東京 misst 333 Meter.'
const badInput = '{"city": "東京'

const origin = { provider: 'elsewhere', model: 'elsewhere-1' }

function wire(type: string): ProviderMetadata {
  return { ...origin, data: { type, signature: secret, encrypted_content: secret } }
}

/** What a model of another provider said, thought, ran and called, in shapes that none of ours gives. */
const history: readonly Message[] = [
  { role: 'user', content: 'Wie ist das Wetter?' },
  {
    role: 'assistant',
    ...origin,
    content: [
      { type: 'reasoning', text: thought, providerMetadata: wire('thinking') },
      { type: 'opaque', providerMetadata: wire('compaction') },
      {
        type: 'tool-call',
        toolCallId: 'srv:1/ü',
        toolName: 'web_search',
        input: { query: 'Türme' },
        inputText: '{"query":"Türme"}',
        owner: 'provider',
        providerMetadata: wire('server_tool_use'),
      },
      {
        type: 'tool-result',
        toolCallId: 'srv:1/ü',
        toolName: 'web_search',
        output: { type: 'text', value: found },
        providerMetadata: wire('web_search_result'),
      },
      { type: 'text', text: 'Ich sehe nach 🔎.', providerMetadata: wire('text') },
      {
        type: 'tool-call',
        toolCallId: 'call one/ü',
        toolName: 'get_weather',
        input: { city: 'Zürich' },
        inputText: '{"city":"Zürich"}',
        owner: 'loop',
        providerMetadata: wire('tool_use'),
      },
      {
        type: 'tool-call',
        toolCallId: 'call two/ü',
        toolName: 'get_weather',
        input: undefined,
        inputText: badInput,
        invalid: 'unparsable',
        owner: 'loop',
      },
    ],
  },
  {
    role: 'tool',
    content: [
      {
        type: 'tool-result',
        toolCallId: 'call one/ü',
        toolName: 'get_weather',
        output: { type: 'json', value: { city: 'Zürich', celsius: 7 } },
      },
      {
        type: 'tool-result',
        toolCallId: 'call two/ü',
        toolName: 'get_weather',
        output: { type: 'error', value: { code: 'unparsable-input', message: 'No JSON.' } },
      },
    ],
  },
  {
    role: 'assistant',
    ...origin,
    content: [{ type: 'text', text: 'In Zürich sind es 7 °C.', providerMetadata: wire('text') }],
  },
  { role: 'user', content: 'Und jetzt in Zürich?' },
]

const nothingOpaque: Check = {
  id: 'nothing-opaque-of-others',
  sentence: 'No body holds what only another provider understands.',
  judge: ({ runs }) =>
    (runs[0]?.requests ?? []).flatMap(({ text }, index) =>
      text.includes(secret)
        ? [{ message: 'a payload of the other provider is in the body', where: `request ${index + 1}` }]
        : [],
    ),
}

const lossesTold: Check = {
  id: 'losses-told',
  sentence:
    'Thoughts, blocks and results of the other provider, and arguments that are no JSON, are in the body, or a warning speaks of them.',
  judge: ({ runs }) => {
    const body = textsIn(runs[0]?.requests[0]?.body).join('\n')
    const warnings = (runs[0]?.turns[0]?.events ?? []).flatMap((event) =>
      event.type === 'turn-start' ? (event.warnings ?? []) : [],
    )
    const tells = (words: RegExp, part: number): boolean =>
      warnings.some(
        ({ path, message }) => path.startsWith(`messages[1].content[${part}]`) || words.test(`${path} ${message}`),
      )
    const things = [
      { what: 'the thought', part: 0, isSent: body.includes(thought), words: /thought|think|reason/i },
      { what: 'the opaque block', part: 1, isSent: false, words: /opaque|block|payload/i },
      { what: 'what the provider found', part: 3, isSent: body.includes(found), words: /search|provider|result|call/i },
      {
        what: 'the arguments that are no JSON',
        part: 6,
        isSent: body.includes(badInput),
        words: /JSON|argument|input|pars/i,
      },
    ]
    return things
      .filter(({ isSent, words, part }) => !isSent && !tells(words, part))
      .map(({ what }) => ({ message: `${what} is neither in the body nor in a warning`, where: 'request 1' }))
  },
}

export const foreignHistory: Scenario = {
  id: 'foreign-history',
  title:
    'A conversation of another provider is taken over, with its thoughts, its own blocks and calls, odd ids and broken arguments.',
  appliesTo: {
    requires: ['tools'],
    stressors: { 'hand-over': 'It is a hand-over itself, of what other subjects would not take over alike.' },
  },
  mayLose: ['messages', 'assistant'],
  ...oneCall('Noch immer 7 °C in Zürich ☀️, 東京 schläft.'),
  async run({ run, tools }) {
    const { get_weather } = tools()
    await run({ messages: history }, { tools: { get_weather } })
  },
  checks: [counters({ requests: 2, executions: 1 }), nothingOpaque, lossesTold],
}
