import type { Message, ProviderMetadata } from '@steploop/core/adapter'
import { unless, type Check } from '../check.ts'
import { asks } from '../scenario-parts/asks.ts'
import { oneCall } from '../scenario-parts/one-call.ts'
import { counters } from '../scenario-parts/run-counters.ts'
import { textsIn } from '../scenario-parts/texts-in.ts'
import type { Scenario } from '../scenario.ts'
import { answer, say } from '../script-parts.ts'

const first = 'Du bist ein Reiseführer 🧭 für Zürich.'
const late = 'Ab jetzt in 東京-Zeit antworten ⏰.'

const history: readonly Message[] = [
  { role: 'system', content: first },
  { role: 'user', content: 'Wer bist du?' },
  { role: 'assistant', content: [{ type: 'text', text: 'Ein Reiseführer für Zürich.' }] },
  { role: 'system', content: late },
  { role: 'user', content: 'Wie ist das Wetter in Zürich?' },
]

const arriveOnce: Check = {
  id: 'system-arrives-once',
  sentence: 'Each system message is in every body once, the first one before all that was said.',
  judge: ({ runs }) =>
    (runs[0]?.requests ?? []).flatMap(({ body }, index) => {
      const where = `request ${index + 1}`
      // As one text: in some formats a conversation is.
      const said = textsIn(body).join('\n')
      const at = (text: string): number => said.indexOf(text)
      const failures = [first, late].flatMap((text) => {
        const count = said.split(text).length - 1
        return count === 1 ? [] : [{ message: `'${text}' is in the body ${count} times`, where }]
      })
      const question = at('Wer bist du?')
      const isOrdered = failures.length > 0 || at(late) < at('Wie ist das Wetter') || at(late) < question
      return isOrdered ? failures : [{ message: `'${late}' stands after what the user said next`, where }]
    }),
}

const systemMessages: Scenario = {
  id: 'system-messages',
  title: 'A history with system messages, one at its beginning and one amid it: both reach the model in every turn.',
  appliesTo: {
    requires: ['tools'],
    stressors: {
      'hand-over':
        'Some formats have a system message as words of the user, which the comparison of histories does not know.',
    },
  },
  // Not every provider takes one amid a conversation.
  mayLose: ['messages'],
  ...oneCall('In Zürich sind es 7 °C ☀️, 東京-Zeit 15:00.'),
  run: asks({ messages: history }, ['get_weather']),
  checks: [counters({ requests: 2, executions: 1 }), arriveOnce],
}

const thought = 'Erst Zürich, dann 東京, dachte das andere Modell.'
const secret = 'opaque-of-another-provider-5f1c'
const found = 'Der Turm in 東京 misst 333 Meter.'
const cited = 'In Zürich sind es 7 °C.'
const source = { url: 'https://example.com/wetter', title: 'Wetter 🌤️', startIndex: 0, endIndex: cited.length }
const badInput = '{"city": "東京'

const origin = { provider: 'elsewhere', model: 'elsewhere-1' }

function wire(type: string): ProviderMetadata {
  return { ...origin, data: { type, signature: secret, encrypted_content: secret } }
}

/** What a model of another provider said, thought, ran and called, in shapes that none of ours gives. */
const foreignMessages: readonly Message[] = [
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
    content: [{ type: 'text', text: cited, citations: [source], providerMetadata: wire('text') }],
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

const lossesReported: Check = {
  id: 'losses-reported',
  sentence:
    'Thoughts, blocks and results of the other provider, and arguments that are no JSON, are in the body, or a warning speaks of them; a text is there whole, whatever sources it has.',
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
      { what: 'the text that has sources', part: -1, isSent: body.includes(cited), words: /(?!)/ },
      { what: 'the thought', part: 0, isSent: body.includes(thought), words: /thought|think|reason/i },
      { what: 'the opaque block', part: 1, isSent: false, words: /opaque|block|payload/i },
      { what: 'what the provider found', part: 3, isSent: body.includes(found), words: /search|provider|result|call/i },
      {
        what: 'the arguments that are no JSON',
        part: 6,
        // Quotes are escaped in many ways.
        isSent: /city.{2,20}東京/.test(body),
        words: /JSON|argument|input|pars/i,
      },
    ]
    return things
      .filter(({ isSent, words, part }) => !isSent && !tells(words, part))
      .map(({ what }) => ({ message: `${what} is neither in the body nor in a warning`, where: 'request 1' }))
  },
}

const foreignHistory: Scenario = {
  id: 'foreign-history',
  title:
    'A conversation of another provider is taken over, with its thoughts, its own blocks and calls, odd ids and broken arguments.',
  appliesTo: {
    requires: ['tools'],
    stressors: { 'hand-over': 'It is a hand-over itself, of what other subjects would not take over alike.' },
  },
  mayLose: ['messages', 'assistant'],
  ...oneCall('Noch immer 7 °C in Zürich ☀️, 東京 schläft.'),
  run: asks({ messages: foreignMessages }, ['get_weather']),
  checks: [counters({ requests: 2, executions: 1 }), nothingOpaque, lossesReported],
}

/** With signs that hardly any provider takes, and longer than any of them takes. */
const oddName = 'wetter.abfragen/Zürich 🌦'
const longName = `fahrplan_${'sehr_'.repeat(28)}lang`

const descriptions: Readonly<Record<string, string>> = {
  [oddName]: 'Weather in a place',
  [longName]: 'Departures of a station',
}
const inputSchema = {
  type: 'object',
  properties: { place: { type: 'string' } },
  required: ['place'],
  additionalProperties: false,
}

const oneName: Check = {
  id: 'one-name-for-a-tool',
  sentence: 'A call in the history bears the name under which its tool is declared, and no two tools share one.',
  judge: ({ runs }) =>
    (runs[0]?.requests ?? []).flatMap(({ view }, index) => {
      const names = view?.tools.map(({ name }) => name) ?? []
      const called = view?.items.flatMap((item) => (item.type === 'call' ? [item] : [])) ?? []
      const where = `request ${index + 1}`
      return [
        ...unless(new Set(names).size === names.length, `two tools are declared as one: ${names.join(', ')}`, where),
        ...called
          .filter(({ toolName }) => !names.includes(toolName))
          .map(({ toolName, path }) => ({
            message: `the call of '${toolName}' is of no declared tool`,
            where: `${where}, ${path}`,
          })),
      ]
    }),
}

const oddToolNames: Scenario = {
  id: 'odd-tool-names',
  title: 'Tools whose names the provider refuses: they get others on the wire, and calls come back under their own.',
  appliesTo: {
    requires: ['tools'],
    stressors: {
      'hand-over': 'Each provider has cleaned names of its own, which the comparison of histories does not know.',
    },
  },
  mayLose: ['tools['],
  script: [
    answer({ type: 'call', toolName: oddName, described: descriptions[oddName], input: { place: 'Zürich' } }),
    answer({ type: 'call', toolName: longName, described: descriptions[longName], input: { place: '東京' } }),
    answer(say('Sonnig in Zürich ☀️, und in 東京 fährt der Zug um 9.')),
  ],
  golden: `
    run 1
      step 1 tool-calls: call ${oddName} {"place":"Zürich"} by loop + result ${oddName} json
      step 2 tool-calls: call ${longName} {"place":"東京"} by loop + result ${longName} json
      step 3 stop: text
      completed answer
  `,
  async run({ run, tools }) {
    const { declared } = tools()
    const of = (name: string) => declared(name, { description: descriptions[name], inputSchema })
    await run('Wetter in Zürich, und wann fährt in 東京 ein Zug?', {
      tools: { [oddName]: of(oddName), [longName]: of(longName) },
    })
  },
  checks: [counters({ requests: 3, executions: 2 }), oneName],
}

export const historiesScenarios: readonly Scenario[] = [systemMessages, foreignHistory, oddToolNames]
