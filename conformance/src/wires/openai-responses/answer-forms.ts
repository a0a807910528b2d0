import { added, done, type ItemsForm } from './answer-form.ts'
import { deltas, message, outputText, plain, raw, said, text, thought, twice } from './answer-items.ts'

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

const summed = { ...twice, id: 'rs_3', content: [] }
const foreign = { ...raw, content: [], format: 'google-gemini-v1' }

const token = { token: text, logprob: -0.1, bytes: [83], top_logprobs: [] }
const weighed = message([outputText(text, { logprobs: [token] })])

export const answerForms: readonly ItemsForm[] = [
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
    items: [raw, twice, summed, plain],
    streamed: [
      added(raw, 0),
      ...['Ich prüfe', ' Zürich.'].map((delta) => ({ type: 'response.reasoning_text.delta', output_index: 0, delta })),
      done(raw, 0),
      added(twice, 1),
      ...['Ich ', 'prüfe'].map((delta) => ({ type: 'response.reasoning_summary_text.delta', output_index: 1, delta })),
      done({ ...twice, status: 'completed' }, 1),
      added(summed, 2),
      done(summed, 2),
      ...deltas({ output_index: 3, item_id: 'msg_1' }),
      done(plain, 3),
    ],
    parts: [...[thought, thought, thought].map((one) => ({ type: 'reasoning', text: one })), said],
    back: [raw, twice, summed, plain],
  },
  // Thoughts alone, which nothing follows, are not taken back.
  {
    items: [raw],
    finish: ['max_output_tokens', 'length'],
    parts: [{ type: 'reasoning', text: thought }],
    back: [],
  },
  // How sure the model was.
  {
    items: [weighed],
    parts: [said],
    logprobs: [{ token: text, logprob: -0.1, bytes: [83] }],
    back: [weighed],
  },
  // A gateway's thoughts of another model come after the answer.
  {
    items: [plain, foreign],
    parts: [said, { type: 'reasoning', text: '' }],
    back: [plain, foreign],
  },
]
