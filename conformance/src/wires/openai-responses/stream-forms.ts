import { added, done, type ItemsForm } from './answer-form.ts'
import { deltas, message, outputText, pieces, plain, raw, said, text, thought, twice } from './answer-items.ts'

const cut = message([outputText(text)], { status: 'incomplete' })

/** How servers count and end the items of a stream. */
export const streamForms: readonly ItemsForm[] = [
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
  // vLLM announces a part of text in its thoughts, counts on before an item is done and for each piece of a text, and gives new ids at the end.
  {
    items: [raw, plain],
    streamed: [
      added(raw, 0),
      { type: 'response.content_part.added', output_index: 0, item_id: 'rs_1', content_index: 0, part: outputText('') },
      { type: 'response.reasoning_text.delta', output_index: 0, item_id: 'rs_1', content_index: 1, delta: thought },
      done(raw, 1),
      added({ ...plain, id: 'msg_0' }, 0),
      {
        type: 'response.content_part.added',
        output_index: 1,
        item_id: 'msg_1',
        content_index: 1,
        part: outputText(''),
      },
      ...pieces.map((delta, index) => ({
        type: 'response.output_text.delta',
        output_index: 1,
        item_id: 'msg_1',
        content_index: index + 2,
        delta,
      })),
      done(plain, 1),
    ],
    last: {
      output: [
        { ...raw, id: 'rs_end' },
        { ...plain, id: 'msg_end' },
      ],
    },
    parts: [{ type: 'reasoning', text: thought }, said],
    back: [raw, plain],
  },
  // LiteLLM announces items twice, and texts under an index that is taken.
  {
    items: [raw, plain],
    streamed: [
      added({ ...raw, id: 'rs_0' }),
      added({ ...raw, id: 'rs_0' }),
      { type: 'response.reasoning_text.delta', delta: thought },
      done(raw),
      { type: 'response.content_part.added', output_index: 0, content_index: 0, part: outputText('') },
      ...deltas({ output_index: 0 }),
      done(plain, 0),
    ],
    parts: [{ type: 'reasoning', text: thought }, said],
    back: [raw, plain],
  },
  // It announces them under the next index and another id, too, and their ends in the answer have a third.
  {
    items: [plain],
    streamed: [
      added({ ...plain, id: 'msg_0' }, 0),
      added(plain, 1),
      ...deltas({ output_index: 1, item_id: 'msg_1' }),
      done(plain, 1),
    ],
    last: { output: [{ ...plain, id: 'msg_end' }] },
    parts: [said],
    back: [plain],
  },
  // Two thoughts whose ends come with the answer alone, and that of the second under another id.
  {
    items: [raw, twice, plain],
    streamed: [
      added(raw, 0),
      { type: 'response.reasoning_text.delta', output_index: 0, delta: thought },
      added({ ...twice, id: 'rs_early' }, 1),
      { type: 'response.reasoning_text.delta', output_index: 1, delta: thought },
    ],
    parts: [{ type: 'reasoning', text: thought }, { type: 'reasoning', text: thought }, said],
    back: [raw, twice, plain],
  },
  // The token limit cuts an item whose end never comes.
  {
    items: [cut],
    streamed: [added(cut, 0), ...deltas({ output_index: 0 })],
    last: { output: [] },
    finish: ['max_output_tokens', 'length'],
    parts: [said],
    back: [cut],
  },
]
