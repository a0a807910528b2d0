import type { JsonObject } from '@steploop/core/adapter'
import { added, done, type ItemsForm } from './answer-form.ts'

const text = 'In Zürich sind es 7 °C 🌤️.'
const said = { type: 'text', text }
const pieces = ['In Zürich', ' sind es 7 °C 🌤️.']

const outputText = (value: string, more: JsonObject = {}): JsonObject => ({
  type: 'output_text',
  text: value,
  annotations: [],
  logprobs: [],
  ...more,
})

function message(content: readonly JsonObject[], more: JsonObject = {}): JsonObject {
  return { type: 'message', id: 'msg_1', role: 'assistant', status: 'completed', content, ...more }
}

const plain = message([outputText(text)])

/** A text in pieces, each with these members. */
function deltas(where: JsonObject, type = 'response.output_text.delta'): readonly JsonObject[] {
  return pieces.map((delta) => ({ type, ...where, delta }))
}

const place = { start_index: 3, end_index: 9 }
const where = { startIndex: 3, endIndex: 9 }
const page = { type: 'url_citation', url: 'https://example.com/a', title: 'A', ...place }
const link = { type: 'url_citation', url: 'https://example.com/b' }
const file = { type: 'file_citation', file_id: 'file_1', filename: 'Wetter.pdf', index: 9 }
const chart = {
  type: 'container_file_citation',
  container_id: 'cntr_1',
  file_id: 'cfile_1',
  filename: 'Zürich.png',
  ...place,
}
const cited = message([outputText(text, { annotations: [page, link, file, chart] })])

const notSaid = { type: 'refusal', refusal: 'Nicht in Zürich.' }
const sketch = { type: 'output_sketch', lines: '🌤️' }
const mixed = message([outputText('In Zürich'), notSaid, outputText(' sind es 7 °C 🌤️.'), sketch])

const unknown = [
  { type: 'weather_map', id: 'wm_1', tiles: 'Karte von Zürich' },
  {
    type: 'mcp_list_tools',
    id: 'mcpl_1',
    server_label: 'ort',
    tools: [{ name: 'roll', input_schema: {} }],
    error: null,
  },
  { type: 'compaction', id: 'cmp_1', encrypted_content: 'dmVyc2llZ2VsdA==' },
] as const

const thought = 'Ich prüfe Zürich.'
const raw = {
  type: 'reasoning',
  id: 'rs_1',
  summary: [],
  content: [{ type: 'reasoning_text', text: thought }],
  encrypted_content: 'dmVyc2llZ2VsdA==',
}
const twice = { ...raw, id: 'rs_2', summary: [{ type: 'summary_text', text: thought }] }

const cut = message([outputText(text)], { status: 'incomplete' })

const forms: readonly ItemsForm[] = [
  // Sources of each kind, of which a stream announces the first alone.
  {
    items: [cited],
    streamed: [
      added(cited, 0),
      ...deltas({ item_id: 'msg_1', output_index: 0, content_index: 0 }),
      {
        type: 'response.output_text.annotation.added',
        item_id: 'msg_1',
        output_index: 0,
        content_index: 0,
        annotation_index: 0,
        annotation: page,
      },
      done(cited, 0),
    ],
    parts: [
      {
        ...said,
        citations: [
          { url: 'https://example.com/a', title: 'A', ...where },
          { url: 'https://example.com/b' },
          { kind: 'file', title: 'Wetter.pdf' },
          { kind: 'file', title: 'Zürich.png', ...where },
        ],
      },
    ],
    back: [cited],
    response: {
      usage: {
        input_tokens: 120,
        input_tokens_details: { cached_tokens: 30, cache_write_tokens: 10 },
        output_tokens: 27,
        output_tokens_details: { reasoning_tokens: 7 },
        total_tokens: 147,
      },
    },
    counts: { cachedInputTokens: 30, cacheWriteTokens: 10, reasoningTokens: 7 },
  },
  // Texts, a refusal and a part of a new kind in one message; what the deltas leave out comes with its end.
  {
    items: [mixed],
    streamed: [
      added(mixed, 0),
      { type: 'response.content_part.added', output_index: 0, content_index: 0, part: outputText('') },
      { type: 'response.output_text.delta', output_index: 0, content_index: 0, delta: 'In ' },
      { type: 'response.output_text.delta', output_index: 0, content_index: 0, delta: 'Zürich' },
      {
        type: 'response.content_part.added',
        output_index: 0,
        content_index: 1,
        part: { type: 'refusal', refusal: '' },
      },
      { type: 'response.refusal.delta', output_index: 0, content_index: 1, delta: 'Nicht ' },
      { type: 'response.content_part.added', output_index: 0, content_index: 2, part: outputText('') },
      { type: 'response.output_text.delta', output_index: 0, content_index: 2, delta: ' sind' },
      { type: 'response.output_sketch.delta', output_index: 0, content_index: 3, delta: { lines: 1 } },
      done(mixed, 0),
    ],
    parts: [
      { type: 'text', text: 'In Zürich' },
      { type: 'refusal', text: 'Nicht in Zürich.' },
      { type: 'text', text: ' sind es 7 °C 🌤️.' },
      { type: 'opaque' },
    ],
    back: [mixed],
  },
  // Items of new kinds, with events of their own.
  {
    items: [...unknown, plain],
    streamed: [
      ...unknown.flatMap((item, index) => [
        added(item, index),
        { type: `response.${item.type}.rendering`, output_index: index, item_id: item.id, delta: 'Zürich' },
        done(item, index),
      ]),
      added(plain, 3),
      ...deltas({ item_id: 'msg_1', output_index: 3, content_index: 0 }),
      done(plain, 3),
    ],
    parts: [...unknown.map(() => ({ type: 'opaque' })), said],
    back: [...unknown, plain],
  },
  // Thoughts of open models, at times beside a summary that says the same.
  {
    items: [raw, twice, plain],
    streamed: [
      added(raw, 0),
      ...['Ich prüfe', ' Zürich.'].map((delta) => ({ type: 'response.reasoning_text.delta', output_index: 0, delta })),
      done(raw, 0),
      added(twice, 1),
      ...['Ich ', 'prüfe'].map((delta) => ({ type: 'response.reasoning_summary_text.delta', output_index: 1, delta })),
      done({ ...twice, status: 'completed' }, 1),
      ...deltas({ output_index: 2, item_id: 'msg_1' }),
      done(plain, 2),
    ],
    parts: [{ type: 'reasoning', text: thought }, { type: 'reasoning', text: thought }, said],
    back: [raw, twice, plain],
  },
  // The deltas name the item alone, and its end comes with the answer: with that the token limit has cut it.
  {
    items: [cut],
    streamed: [
      { ...added(cut), output_index: 0 },
      ...deltas({ item_id: 'msg_1' }),
      { type: 'response.output_text.delta', item_id: 'msg_1', delta: null },
    ],
    finish: ['max_output_tokens', 'length'],
    parts: [said],
    back: [cut],
  },
  // Deltas of an item that was not announced; the last event holds no items, and no status that says that it is over.
  {
    items: [plain],
    streamed: [...deltas({ output_index: 0 }), done(plain, 0)],
    last: { output: [], status: 'in_progress' },
    parts: [said],
    back: [plain],
    response: { usage: { input_tokens: 120, output_tokens: 27, total_tokens: 147, input_tokens_details: null } },
  },
  // Gateways give each item the index 0, and the last event says nothing but that it is over.
  {
    items: [raw, plain],
    streamed: [
      added(raw, 0),
      ...['Ich prüfe', ' Zürich.'].map((delta) => ({ type: 'response.reasoning_text.delta', output_index: 0, delta })),
      done(raw, 0),
      added(plain, 0),
      ...deltas({ output_index: 0, content_index: 0 }),
      done(plain, 0),
    ],
    last: { status: undefined },
    finish: ['content_filter', 'content-filter'],
    parts: [{ type: 'reasoning', text: thought }, said],
    back: [raw, plain],
  },
  // Neither indices nor ids beside the items: a delta belongs to the last of its kind.
  {
    items: [raw, plain],
    streamed: [
      added(raw),
      { type: 'response.reasoning_text.delta', delta: 'Ich prüfe' },
      added(plain),
      ...deltas({}),
      { type: 'response.reasoning_text.delta', delta: ' Zürich.' },
      done(plain),
      done(raw),
    ],
    parts: [{ type: 'reasoning', text: thought }, said],
    back: [raw, plain],
  },
]

export const answerForms: readonly ItemsForm[] = forms
