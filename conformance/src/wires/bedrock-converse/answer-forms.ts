import { arrayOf, objectOf, type JsonObject } from '@steploop/core/adapter'
import type { Derivation } from '../../derivation.ts'
import { answersInForms, type AnswerForm } from '../variants/answer-forms.ts'
import type { WireQuirk } from '../variants/quirk.ts'
import { bodies, both, events, perMode, requests } from '../variants/recipe.ts'

interface BlockForm extends AnswerForm {
  readonly blocks: readonly JsonObject[]
  /** The blocks in a stream: how each begins, and its pieces. Default: each block is its only piece. */
  readonly streamed?: readonly { readonly start?: JsonObject; readonly deltas: readonly JsonObject[] }[]
  /** No event of the stream says that a block ends (docs/wire.md#bedrock-converse). */
  readonly isUnstopped?: true
  /** The blocks as they go back. */
  readonly back: readonly JsonObject[]
  /** Default: what the base says. */
  readonly usage?: JsonObject
}

const text = 'In Zürich sind es 7 °C 🌤️.'
const said = { type: 'text', text }

interface ServerCall {
  readonly id: string
  /** What the tool gave, and what has to be read of it. */
  readonly content: readonly JsonObject[]
  readonly output: JsonObject
  readonly status: 'success' | 'error'
}

const serverCalls: readonly ServerCall[] = [
  {
    id: 'tooluse_json',
    content: [{ json: { celsius: 7 } }],
    output: { type: 'json', value: { celsius: 7 } },
    status: 'success',
  },
  {
    id: 'tooluse_texts',
    content: [{ text: '7 °C, ' }, { text: 'sonnig' }],
    output: { type: 'text', value: '7 °C, sonnig' },
    status: 'success',
  },
  {
    id: 'tooluse_mixed',
    content: [{ text: '7 °C' }, { json: { sky: '☀️' } }],
    output: { type: 'json', value: [{ text: '7 °C' }, { json: { sky: '☀️' } }] },
    status: 'success',
  },
  {
    id: 'tooluse_failed',
    content: [{ text: 'Kein Netz.' }],
    output: { type: 'error', value: { code: 'tool-failed', message: 'Kein Netz.' } },
    status: 'error',
  },
  {
    id: 'tooluse_silent',
    content: [{ json: { sky: null } }],
    output: { type: 'error', value: { code: 'tool-failed', message: '[{"json":{"sky":null}}]' } },
    status: 'error',
  },
]

const toolName = 'nova_grounding'
const inputText = '{"query":"Zürich"}'
const begun = (id: string): JsonObject => ({ toolUseId: id, name: toolName, type: 'server_tool_use' })
const ran = serverCalls.flatMap(({ id, content, status }) => [
  { toolUse: { ...begun(id), input: { query: 'Zürich' } } },
  { toolResult: { toolUseId: id, status, type: 'nova_grounding_result', content } },
])

const grounded: BlockForm = {
  blocks: [...ran, { text }],
  streamed: [
    ...serverCalls.flatMap(({ id, content, status }) => [
      {
        start: { toolUse: begun(id) },
        deltas: [inputText.slice(0, 4), inputText.slice(4)].map((input) => ({ toolUse: { input } })),
      },
      {
        start: { toolResult: { toolUseId: id, status, type: 'nova_grounding_result' } },
        deltas: content.map((piece) => ({ toolResult: [piece] })),
      },
    ]),
    { deltas: [{ text }] },
  ],
  parts: [
    ...serverCalls.flatMap(({ id, output }) => [
      { type: 'tool-call', toolCallId: id, toolName, inputText, input: { query: 'Zürich' }, owner: 'provider' },
      { type: 'tool-result', toolCallId: id, toolName, output },
    ]),
    said,
  ],
  back: [...ran, { text }],
}

const sealed = { reasoningContent: { redactedContent: 'dmVyc2llZ2VsdA==' } }
const signed = { reasoningContent: { reasoningText: { text: 'Ich prüfe.', signature: 'c2lnbmllcnQ=' } } }
const drawn = { image: { format: 'webp', source: { bytes: 'R0lGODlh' } } }
const unknownResult = { toolResult: { toolUseId: 'tooluse_before', content: [{ text: 'spät' }], status: 'success' } }

const page = {
  title: 'Wetter',
  sourceContent: [{ text: '7 ' }, { text: '°C' }],
  location: { documentPage: { start: 1 } },
}
const link = { source: 'https://example.com/a' }
const file = { source: 'Wetter.pdf', location: { documentChar: { documentIndex: 0, start: 0, end: 9 } } }
const cited = { citationsContent: { content: [{ text }], citations: [page, link, file] } }

const forms: readonly BlockForm[] = [
  // Nova runs tools itself; its results go back as they came.
  grounded,
  { ...grounded, isUnstopped: true },
  // The call of a result may stand in an earlier turn.
  {
    blocks: [unknownResult, { text }],
    streamed: [
      {
        start: { toolResult: { toolUseId: 'tooluse_before', status: 'success' } },
        deltas: [{ toolResult: [{ text: 'spät' }] }],
      },
      { deltas: [{ text }] },
    ],
    finish: ['stop_sequence', 'stop'],
    parts: [{ type: 'opaque' }, said],
    back: [unknownResult, { text }],
    usage: { inputTokens: 100, outputTokens: 27, cacheReadInputTokens: 20, totalTokens: 147 },
    counts: { cachedInputTokens: 20 },
  },
  // What is sealed or signed comes in pieces, each padded on its own, and goes back whole.
  {
    blocks: [sealed, signed, { text }],
    streamed: [
      {
        deltas: ['dmVyc2k=', 'ZWdlbHQ='].map((redactedContent) => ({ reasoningContent: { redactedContent } })),
      },
      {
        deltas: [{ text: 'Ich ' }, { text: 'prüfe.' }, { signature: 'c2lnbm' }, { signature: 'llcnQ=' }].map(
          (reasoningContent) => ({ reasoningContent }),
        ),
      },
      { deltas: [{ text }] },
    ],
    finish: ['model_context_window_exceeded', 'length'],
    parts: [{ type: 'reasoning', text: '' }, { type: 'reasoning', text: 'Ich prüfe.' }, said],
    back: [sealed, signed, { text }],
  },
  // An image: of a stream each piece of its data is base64 of its own.
  {
    blocks: [drawn, { text }],
    streamed: [
      {
        start: { image: { format: 'webp' } },
        deltas: ['R0lG', 'ODlh'].map((bytes) => ({ image: { source: { bytes } } })),
      },
      { deltas: [{ text }] },
    ],
    parts: [{ type: 'file', mediaType: 'image/webp', data: 'R0lGODlh' }, said],
    back: [drawn, { text }],
  },
  // Sources: a file, an address, and a name that is none.
  {
    blocks: [cited],
    streamed: [{ deltas: [{ text }, ...[page, link, file].map((citation) => ({ citation }))] }],
    finish: ['max_tokens', 'length'],
    parts: [
      {
        ...said,
        citations: [
          { kind: 'file', title: 'Wetter', citedText: '7 °C' },
          { url: 'https://example.com/a' },
          { kind: 'file', title: 'Wetter.pdf' },
        ],
      },
    ],
    back: [cited],
    // What was read from the cache or written to it is apart.
    usage: { inputTokens: 90, outputTokens: 27, cacheReadInputTokens: 20, cacheWriteInputTokens: 10, totalTokens: 147 },
    counts: { cachedInputTokens: 20, cacheWriteTokens: 10 },
  },
]

function answerAs({ blocks, streamed, isUnstopped, finish, usage }: BlockForm): Derivation['change'] {
  const end = { ...(finish && { stopReason: finish[0] }) }
  const counted = { ...(usage && { usage }) }
  const framed = (streamed ?? blocks.map((block) => ({ start: undefined, deltas: [block] }))).flatMap(
    ({ start, deltas }, contentBlockIndex) => [
      ...(start === undefined ? [] : [{ contentBlockStart: { contentBlockIndex, start } }]),
      ...deltas.map((delta) => ({ contentBlockDelta: { contentBlockIndex, delta } })),
      ...(isUnstopped ? [] : [{ contentBlockStop: { contentBlockIndex } }]),
    ],
  )
  return perMode(
    bodies((body) => ({ ...body, ...end, ...counted, output: { message: { role: 'assistant', content: blocks } } })),
    events((event) => {
      const { messageStart, messageStop, metadata } = event
      if (messageStart !== undefined) return [event, ...framed]
      if (messageStop !== undefined) return [{ messageStop: { ...objectOf(messageStop), ...end } }]
      return metadata === undefined ? [] : [{ metadata: { ...objectOf(metadata), ...counted } }]
    }),
  )
}

const thanks = answerAs({ blocks: [{ text: 'Gern geschehen.' }], parts: [], back: [] })

function sentBack({ back }: BlockForm): Derivation['change'] {
  const change = requests((body) => {
    const [asked, , thanked] = arrayOf(body['messages'])
    return { ...body, messages: [asked, { role: 'assistant', content: back }, thanked] }
  })
  return both(change, thanks)
}

export const bedrockAnswerForms: WireQuirk = {
  id: 'bedrock-answer-forms',
  title: 'Blocks that Bedrock adds to an answer: each is read, and goes back as it came.',
  at: ['bedrock-converse/bedrock'],
  recipe: `${forms.length} copies, other blocks in each (docs/wire.md#bedrock-converse)`,
  ...answersInForms({ forms, answerAs, sentBack }),
}

const map = { weatherMap: { tiles: [7], caption: 'Karte von Zürich' } }
const unknown: BlockForm = {
  blocks: [map, { text }],
  streamed: [
    {
      start: { weatherMap: { tiles: [7] } },
      deltas: ['Karte ', 'von Zürich'].map((caption) => ({ weatherMap: { caption } })),
    },
    { deltas: [{ text }] },
  ],
  parts: [{ type: 'opaque' }, said],
  back: [map, { text }],
}

/** In a stream nothing says how the pieces of such a block would have to be put together: it is told of, and stays away. */
export const bedrockUnknownBlock: WireQuirk = {
  id: 'bedrock-unknown-block',
  title:
    'A block of a kind that no client of today knows passes through; whole it comes back, of pieces a warning speaks.',
  at: ['bedrock-converse/bedrock'],
  recipe: 'a block of a new kind before the text (docs/wire.md#bedrock-converse)',
  mayLose: ['assistant.content[0]'],
  ...answersInForms({
    forms: [unknown, { ...unknown, isUnstopped: true }],
    answerAs,
    sentBack: (form) => perMode(sentBack(form), sentBack({ ...form, back: [{ text }] })),
  }),
}
