import { arrayOf, objectOf, type JsonObject } from '@steploop/core/adapter'
import type { Derivation } from '../../derivation.ts'
import { answersInForms, type AnswerForm } from '../variants/answer-forms.ts'
import type { WireQuirk } from '../variants/quirk.ts'
import { bodies, both, events, perMode, requests } from '../variants/recipe.ts'

interface ContentForm extends AnswerForm {
  readonly blocks: readonly JsonObject[]
  /** The events of a stream. Default: each block begins empty, comes in one piece and ends. */
  readonly streamed?: readonly JsonObject[]
  readonly citations?: readonly JsonObject[]
  readonly plan?: string
  /** The blocks as they go back. Default: as they came. */
  readonly back?: readonly JsonObject[]
  /** Default: what the base says. */
  readonly usage?: JsonObject
  /** Pieces of the text, with those of their tokens. */
  readonly logged?: readonly JsonObject[]
}

const text = 'In Zürich 🌤️ sind es 7 °C.'
const said = { type: 'text', text }
const thought = { type: 'thinking', thinking: 'Ich prüfe.' }
const map = { type: 'weather_map', caption: 'Karte von Zürich', tiles: [7], sky: { icon: '☀️' } }

function ofContent(type: string, index: number, content: JsonObject): JsonObject {
  return { type, index, delta: { message: { content } } }
}

function framed({ type, ...members }: JsonObject, index: number): readonly JsonObject[] {
  const empty = Object.fromEntries(Object.keys(members).map((name) => [name, '']))
  return [
    ofContent('content-start', index, { type, ...empty }),
    ofContent('content-delta', index, members),
    { type: 'content-end', index },
  ]
}

const found = { type: 'tool', id: 'w_1:0' }
const cited = { type: 'TEXT_CONTENT', content_index: 1, start: 3, end: 9, text: 'Zürich' }
/** Positions behind the picture are counted in characters, of which it is two, or in units of UTF-16, of which it is three. */
const behind = { ...cited, start: 21, end: 25, text: '7 °C' }

const forms: readonly ContentForm[] = [
  // A block of a kind that no client of today knows, in pieces of new kinds; pictures are counted apart.
  {
    blocks: [map, said],
    streamed: [
      ofContent('content-start', 0, { type: 'weather_map', caption: '', sky: null }),
      ofContent('content-delta', 0, { caption: 'Karte von ' }),
      ofContent('content-delta', 0, { caption: 'Zürich', tiles: [7] }),
      ofContent('content-delta', 0, { sky: { icon: '☀️' } }),
      { type: 'content-end', index: 0 },
      ...framed(said, 1),
    ],
    finish: ['MAX_TOKENS', 'length'],
    parts: [{ type: 'opaque' }, said],
    usage: {
      billed_units: { input_tokens: 5, output_tokens: 2 },
      tokens: { input_tokens: 100, image_tokens: 20, output_tokens: 27, reasoning_tokens: 7 },
      cached_tokens: 64,
    },
    counts: { cachedInputTokens: 64, reasoningTokens: 7 },
  },
  // Sources: documents and what tools gave, under the names that are usual there. Positions that fit nowhere say nothing, nor do sources of thoughts.
  {
    blocks: [thought, said],
    citations: [
      { ...cited, sources: [{ type: 'document', id: 'doc:0', document: { id: 'doc:0', text: 'Wetter' } }, found] },
      { ...cited, type: 'THINKING_CONTENT', content_index: 0, sources: [found] },
      {
        ...behind,
        sources: [{ ...found, tool_output: { url: 'https://example.com/a', title: 'A', snippet: '7 °C' } }],
      },
      { ...behind, type: undefined, start: 22, end: 26, sources: [found] },
      { ...behind, text: '8 °C', sources: [{ ...found, tool_output: { content: 'Karte' } }] },
      { ...cited, text: undefined, sources: [{ ...found, tool_output: {} }] },
    ],
    finish: ['STOP_SEQUENCE', 'stop'],
    parts: [
      { type: 'reasoning', text: 'Ich prüfe.' },
      {
        ...said,
        citations: [
          { kind: 'file', title: 'doc:0', citedText: 'Wetter', startIndex: 3, endIndex: 9 },
          { kind: 'file', title: 'w_1:0', startIndex: 3, endIndex: 9 },
          { url: 'https://example.com/a', title: 'A', citedText: '7 °C', startIndex: 22, endIndex: 26 },
          { kind: 'file', title: 'w_1:0', startIndex: 22, endIndex: 26 },
          { kind: 'file', title: 'w_1:0', citedText: 'Karte' },
          { kind: 'file', title: 'w_1:0', startIndex: 3, endIndex: 9 },
        ],
      },
    ],
    usage: { billed_units: { input_tokens: 120, output_tokens: 27 } },
  },
  // A plan without calls is a thought.
  {
    plan: 'Ich prüfe.',
    blocks: [said],
    parts: [{ type: 'reasoning', text: 'Ich prüfe.' }, said],
    back: [thought, said],
  },
  // Two texts with a source of the second, and what the model gave their tokens; where a piece is of several, their sum is sure.
  {
    blocks: [
      { type: 'text', text: 'Milde ' },
      { type: 'text', text: '7 °C.' },
    ],
    citations: [{ type: 'TEXT_CONTENT', content_index: 1, start: 0, end: 4, text: '7 °C', sources: [found] }],
    parts: [
      { type: 'text', text: 'Milde ' },
      {
        type: 'text',
        text: '7 °C.',
        citations: [{ kind: 'file', title: 'w_1:0', startIndex: 0, endIndex: 4 }],
      },
    ],
    logged: [
      { text: 'Milde ', token_ids: [7], logprobs: [-0.5] },
      { text: '7 °C.', token_ids: [8, 9], logprobs: [-0.5, -0.25] },
    ],
    logprobs: [
      { token: 'Milde ', logprob: -0.5 },
      { token: '7 °C.', logprob: -0.75 },
    ],
  },
]

/** Sources stand behind the text, and pieces with their tokens beside them. */
function streamOf({ blocks, streamed, citations = [], logged = [], plan }: ContentForm): readonly JsonObject[] {
  const left = [...logged]
  return [
    ...(plan === undefined ? [] : [{ type: 'tool-plan-delta', delta: { message: { tool_plan: plan } } }]),
    ...(streamed ?? blocks.flatMap(framed)).map((event) =>
      event['type'] === 'content-delta' && left.length > 0 ? { ...event, logprobs: left.shift() } : event,
    ),
    ...citations.map((citation, index) => ({
      type: 'citation-start',
      index,
      delta: { message: { citations: citation } },
    })),
  ]
}

function answerAs(form: ContentForm): Derivation['change'] {
  const { blocks, citations, usage, logged, finish, plan } = form
  const end = { ...(usage && { usage }), ...(finish && { finish_reason: finish[0] }) }
  const message = {
    role: 'assistant',
    content: blocks,
    ...(citations && { citations }),
    ...(plan && { tool_plan: plan }),
  }
  return perMode(
    bodies((body) => ({ ...body, message, ...end, ...(logged && { logprobs: logged }) })),
    events((event) => {
      if (event['type'] === 'message-start') return [event, ...streamOf(form)]
      return event['type'] === 'message-end' ? [{ ...event, delta: { ...objectOf(event['delta']), ...end } }] : []
    }),
  )
}

const thanks = answerAs({ blocks: [{ type: 'text', text: 'Gern geschehen.' }], parts: [] })

export const cohereAnswerForms: WireQuirk = {
  id: 'cohere-answer-forms',
  title: 'Content that only some requests get, and blocks of new kinds: each is read, and goes back as it came.',
  at: ['cohere-chat/cohere'],
  recipe: `${forms.length} copies, other content and counts in each (docs/wire.md#cohere)`,
  ...answersInForms({
    forms,
    answerAs,
    sentBack: ({ blocks, back = blocks }) =>
      both(
        requests((body) => {
          const [asked, , thanked] = arrayOf(body['messages'])
          return { ...body, messages: [asked, { role: 'assistant', content: back }, thanked] }
        }),
        thanks,
      ),
  }),
}
