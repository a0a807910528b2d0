import { call, type ChatForm } from './answer-form.ts'
import { entry, said, sealed, signed, text, thought } from './answer-items.ts'

const long = 'Zürich liegt an der Limmat und am See. '
const summary = { type: 'reasoning.summary', summary: thought.text, id: 'rs_0', index: 0 }
const resealed = { ...sealed, data: 'bm9jaCBlaW5tYWw=' }
const again = { ...entry, text: ' Noch einmal.', signature: 'em9jaA==' }
const reference = { type: 'reference', reference_ids: [0] }

/** Lists whose entries hold little, belong together, or come again. */
export const entryForms: readonly ChatForm[] = [
  // Entries that hold nothing, a thought that is a text, and sources behind a part of a new kind.
  {
    message: {
      content: [
        null,
        { type: 'thinking', thinking: thought.text },
        { type: 'text' },
        { type: 'refusal' },
        said,
        reference,
      ],
      annotations: [{ type: 'url_citation', url: 'https://example.com/b' }],
    },
    choice: { delta: null },
    finish: ['stop_sequence', 'stop'],
    parts: [thought, { ...said, citations: [{ url: 'https://example.com/b' }] }, { type: 'opaque' }],
    back: { content: [{ type: 'thinking', thinking: [{ type: 'text', text: thought.text }] }, said, reference] },
  },
  // Entries are told by their ids, and one that is signed or sealed is whole: another begins a new one.
  {
    message: { content: text, reasoning_details: [summary, sealed, resealed, signed, again] },
    deltas: [
      { reasoning_details: [{ ...summary, summary: 'Ich prüfe' }] },
      { reasoning_details: [{ type: summary.type, id: 'rs_0', summary: ' Zürich.' }] },
      { reasoning_details: [sealed, sealed, resealed] },
      { reasoning_details: [{ ...signed, signature: '' }] },
      { reasoning_details: [{ ...signed, text: '' }] },
      { reasoning_details: [{ ...signed, text: '' }] },
      { reasoning_details: [{ ...again, signature: null }] },
      { reasoning_details: [{ ...again, text: '' }] },
      { content: text },
    ],
    finish: ['complete', 'stop'],
    parts: [{ type: 'reasoning', text: thought.text + thought.text + again.text }, said],
    back: { content: text, reasoning_details: [summary, sealed, resealed, signed, again] },
  },
  // Upstreams that give an entry again with all that it has so far.
  {
    message: { content: text, reasoning: long + long, reasoning_details: [{ ...signed, text: long + long }] },
    deltas: [
      { reasoning: long, reasoning_details: [{ ...entry, text: long }] },
      { reasoning: long, reasoning_details: [{ ...signed, text: long + long }] },
      { content: text },
    ],
    finish: ['safety', 'content-filter'],
    parts: [{ type: 'reasoning', text: long + long }, said],
    back: { content: text, reasoning_details: [{ ...signed, text: long + long }] },
  },
  // Tools that Groq ran, without their numbers, and speech that holds nothing.
  {
    message: {
      content: text,
      executed_tools: [null, { type: 'search', output: '7 °C in Zürich' }],
      audio: { id: 'audio_2', expires_at: 1767229260 },
    },
    finish: ['content_filter', 'content-filter'],
    parts: [
      { type: 'tool-call', ...call('call_0_1', 'search', '{}'), inputText: '', owner: 'provider' },
      {
        type: 'tool-result',
        toolCallId: 'call_0_1',
        toolName: 'search',
        output: { type: 'text', value: '7 °C in Zürich' },
      },
      said,
    ],
    back: { content: text },
  },
]
