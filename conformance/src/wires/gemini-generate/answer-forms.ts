import { arrayOf, objectOf, type JsonObject } from '@steploop/core/adapter'
import type { Derivation } from '../../derivation.ts'
import { answersInForms, type AnswerForm } from '../variants/answer-forms.ts'
import type { WireQuirk } from '../variants/quirk.ts'
import { bodies, both, events, perMode, requests } from '../variants/recipe.ts'

interface PartsForm extends AnswerForm {
  /** Parts on the wire; in a stream each comes in a chunk of its own. */
  readonly sent: readonly JsonObject[]
  /** Members of the candidate that ends the answer. */
  readonly candidate?: JsonObject
  /** Default: what the base says. */
  readonly usage?: JsonObject
  /** The parts as they go back. Default: as they came. */
  readonly back?: readonly JsonObject[]
}

const text = 'In Zürich sind es 7 °C 🌤️.'
const said = { type: 'text', text }
const pixel = 'iVBORw0KGgo='

/** A call of a server that Gemini asks itself, which is a function that the request does not have. */
function asked(id: string, q: string): { readonly call: JsonObject; readonly answer: JsonObject } {
  return {
    call: { functionCall: { id, name: 'search_docs', args: { q } } },
    answer: { functionResponse: { id, name: 'search_docs', response: { celsius: 7 } } },
  }
}

const first = asked('fc_1', 'Zürich')
const second = asked('fc_2', '東京')
const ran = (toolCallId: string, inputText: string): readonly JsonObject[] => [
  {
    type: 'tool-call',
    toolCallId,
    toolName: 'search_docs',
    inputText,
    input: JSON.parse(inputText),
    owner: 'provider',
  },
  { type: 'tool-result', toolCallId, toolName: 'search_docs', output: { type: 'json', value: { celsius: 7 } } },
]
const unnumbered = [
  { functionCall: { name: 'search_docs', args: { q: 'Zürich' } } },
  { functionResponse: { name: 'search_docs', response: { celsius: 7 } } },
]

const thinks = { text: 'Ich prüfe.', thought: true }
const sketch = { thought: true, inlineData: { mimeType: 'image/png', data: pixel } }
const picture = { mimeType: 'image/png', data: pixel }
const film = { mimeType: 'video/mp4', fileUri: 'https://files.example.com/z' }

/** Offsets count bytes: "In " are three, "Zürich" are seven. */
const segment = { startIndex: 3, endIndex: 10 }
const where = { startIndex: 3, endIndex: 9 }

const servers = [ran('fc_1', '{"q":"Zürich"}'), ran('fc_2', '{"q":"東京"}')]
const calls = servers.flatMap((one) => one.slice(0, 1))
const answers = servers.flatMap((one) => one.slice(1))

const forms: readonly PartsForm[] = [
  // Servers of `mcpServers`: their answers name their calls by id.
  {
    sent: [first.call, second.call, first.answer, second.answer, { text }],
    parts: [...calls, ...answers, said],
  },
  // Without ids they name them by name.
  {
    sent: [...unnumbered, { text }],
    finish: ['MAX_TOKENS', 'length'],
    parts: [...ran('call_0_0', '{"q":"Zürich"}'), said],
  },
  // Pictures of a thought are no output, and what is new has a place all the same.
  {
    sent: [
      thinks,
      sketch,
      { inlineData: { ...picture, displayName: 'Zürich.png' } },
      { fileData: film },
      { partMetadata: { verse: '東京' } },
      { text },
    ],
    finish: ['RECITATION', 'content-filter'],
    parts: [
      { type: 'reasoning', text: 'Ich prüfe.' },
      { type: 'opaque' },
      { type: 'file', mediaType: 'image/png', data: pixel, filename: 'Zürich.png' },
      { type: 'file', mediaType: 'video/mp4', url: 'https://files.example.com/z' },
      { type: 'opaque' },
      said,
    ],
    back: [thinks, sketch, { inlineData: picture }, { fileData: film }, { partMetadata: { verse: '東京' } }, { text }],
  },
  // Sources of all kinds; those that support no words of the answer stand behind those that do.
  {
    sent: [{ text }],
    candidate: {
      groundingMetadata: {
        groundingChunks: [
          { maps: { uri: 'https://maps.example.com/a', title: 'See' } },
          { web: { uri: 'https://example.com/b', title: 'B' } },
          { image: { sourceUri: 'https://example.com/c', title: 'C' } },
          { retrievedContext: { uri: 'gs://bucket/d.pdf', title: 'd.pdf', text: '7 °C' } },
          { retrievedContext: { uri: 'https://example.com/e' } },
          {},
        ],
        groundingSupports: [{ segment: { ...segment, text: 'Zürich' }, groundingChunkIndices: [1, 3, 9] }],
      },
      citationMetadata: { citationSources: [{ ...segment, uri: 'https://example.com/f' }, segment] },
    },
    parts: [
      {
        ...said,
        citations: [
          { url: 'https://example.com/b', title: 'B', ...where },
          { kind: 'file', title: 'd.pdf', citedText: '7 °C', ...where },
          { kind: 'place', url: 'https://maps.example.com/a', title: 'See' },
          { kind: 'image', url: 'https://example.com/c', title: 'C' },
          { kind: 'file', url: 'https://example.com/e' },
          { kind: 'work', url: 'https://example.com/f', ...where },
        ],
      },
    ],
    // What tools put into the prompt and what was thought are apart.
    usage: {
      promptTokenCount: 100,
      toolUsePromptTokenCount: 20,
      cachedContentTokenCount: 30,
      candidatesTokenCount: 20,
      thoughtsTokenCount: 7,
      totalTokenCount: 147,
    },
    counts: { cachedInputTokens: 30, reasoningTokens: 7 },
  },
]

function answerAs({ sent, candidate, finish, usage }: PartsForm): Derivation['change'] {
  const end = { finishReason: finish?.[0] ?? 'STOP', index: 0, ...candidate }
  const counted = { ...(usage && { usageMetadata: usage }) }
  const of = (parts: readonly JsonObject[], more?: JsonObject): JsonObject => ({
    candidates: [{ content: { parts, role: 'model' }, ...more }],
  })
  return perMode(
    bodies((body) => ({ ...body, ...of(sent, end), ...counted })),
    events((event) => {
      if (objectOf(arrayOf(event['candidates'])[0])['finishReason'] === undefined) return []
      const { usageMetadata: _usage, ...head } = event
      return [
        ...sent.slice(0, -1).map((part) => ({ ...head, ...of([part]) })),
        { ...event, ...of(sent.slice(-1), end), ...counted },
      ]
    }),
  )
}

const thanks = answerAs({ sent: [{ text: 'Gern geschehen.' }], parts: [] })

function sentBack({ sent, back = sent }: PartsForm): Derivation['change'] {
  const change = requests((body) => {
    const [question, , thanked] = arrayOf(body['contents'])
    return { ...body, contents: [question, { role: 'model', parts: back }, thanked] }
  })
  return both(change, thanks)
}

export const geminiAnswerForms: WireQuirk = {
  id: 'gemini-answer-forms',
  title: 'Parts and sources that Gemini adds to an answer: each is read, and goes back as it came.',
  at: ['gemini-generate/gemini'],
  recipe: `${forms.length} copies, other parts in each (https://ai.google.dev/api/generate-content#v1beta.Candidate, https://ai.google.dev/api/caching#Part)`,
  ...answersInForms({ forms, answerAs, sentBack }),
}
