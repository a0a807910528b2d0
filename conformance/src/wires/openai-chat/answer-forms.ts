import type { JsonObject } from '@steploop/core/adapter'
import { call, type ChatForm } from './answer-form.ts'
import { entry, said, sealed, signed, text, thought } from './answer-items.ts'
import { entryForms } from './entry-forms.ts'
import { usageForms } from './usage-forms.ts'

const parsedFile = (name: string): JsonObject => ({ type: 'file', file: { hash: `h-${name}`, name, content: [] } })
const pixel = 'iVBORw0KGgo='

const audio = {
  message: { content: null, audio: { id: 'audio_1', data: 'UklGRgAAAA==', transcript: text, expires_at: 1767229260 } },
  // Each piece is padded on its own.
  deltas: [
    { audio: { id: 'audio_1', transcript: 'In Zürich' } },
    { audio: { data: 'UklGRg==' } },
    { audio: { data: 'AAAA', transcript: ' sind es 7 °C 🌤️.' } },
    { audio: { expires_at: 1767229260 } },
  ],
  parts: [{ type: 'file', mediaType: 'audio/wav', data: 'UklGRgAAAA==' }],
  back: { content: null, audio: { id: 'audio_1' } },
}

const searched = { index: 0, type: 'search', arguments: '{"query":"Zürich"}' }
const found = { ...searched, output: '7 °C in Zürich' }
const ran = { index: 1, name: 'run_code', type: 'python', arguments: '{"code":"6 + 1"}', output: '7' }

const executed = {
  message: { content: text, executed_tools: [found, ran] },
  // An entry comes again when its output is there.
  deltas: [
    { executed_tools: [searched] },
    { executed_tools: [found] },
    { executed_tools: [found, ran] },
    { content: text },
  ],
  parts: [
    { type: 'tool-call', ...call('call_0_0', 'search', '{"query":"Zürich"}'), owner: 'provider' },
    {
      type: 'tool-result',
      toolCallId: 'call_0_0',
      toolName: 'search',
      output: { type: 'text', value: '7 °C in Zürich' },
    },
    { type: 'tool-call', ...call('call_0_1', 'run_code', '{"code":"6 + 1"}'), owner: 'provider' },
    { type: 'tool-result', toolCallId: 'call_0_1', toolName: 'run_code', output: { type: 'text', value: '7' } },
    said,
  ],
  back: { content: text },
}

const details = {
  message: { content: text, reasoning: thought.text, reasoning_details: [signed, sealed] },
  deltas: [
    { reasoning: '', reasoning_details: [{ ...entry, text: '' }] },
    { reasoning: 'Ich prüfe', reasoning_details: [{ ...entry, text: 'Ich prüfe' }] },
    {
      reasoning: ' Zürich.',
      reasoning_details: [{ type: 'reasoning.text', text: ' Zürich.', format: null, index: 0 }],
    },
    { reasoning_details: [{ type: 'reasoning.text', signature: 'c2lnbmllcnQ=', index: 0 }, sealed] },
    { content: text },
  ],
  parts: [thought, said],
  back: { content: text, reasoning_details: [signed, sealed] },
}

const thinking = [
  { type: 'text', text: thought.text },
  { type: 'reference', reference_ids: [1] },
]
const listed = [{ type: 'thinking', thinking, closed: true }, said]

const place = { start_index: 3, end_index: 10 }
const where = { startIndex: 3, endIndex: 10 }

const upstream = { candidatesTokenCount: 20, thoughtsTokenCount: 7 }
const gatewayCounts = { prompt_tokens: 120, completion_tokens: 20, total_tokens: 140 }

const answers: readonly ChatForm[] = [
  // Mistral: content is a list, of which some entries have no neutral form.
  {
    message: {
      content: [
        { type: 'text', text: 'In Zürich' },
        { type: 'output_text', text: ' sind es' },
        ' 7 °C 🌤️.',
        { type: 'text', text: '' },
        { type: 'reference', reference_ids: [0] },
      ],
    },
    parts: [said, { type: 'opaque' }],
    back: { content: [said, { type: 'reference', reference_ids: [0] }] },
  },
  { message: { content: listed }, parts: [thought, said], back: { content: listed } },
  {
    message: { content: [{ type: 'refusal', refusal: 'Nicht in Zürich.' }] },
    finish: ['refusal', 'content-filter'],
    parts: [{ type: 'refusal', text: 'Nicht in Zürich.' }],
    back: { content: null, refusal: 'Nicht in Zürich.' },
  },
  // Cloudflare, asked for JSON.
  {
    message: { content: { city: 'Zürich' } },
    finish: ['eos', 'stop'],
    parts: [{ type: 'text', text: '{"city":"Zürich"}' }],
    back: { content: '{"city":"Zürich"}' },
  },
  // Sources: OpenAI's, without their kind, and Groq's, which name a document or the result of a tool.
  {
    message: {
      content: text,
      annotations: [
        {
          type: 'url_citation',
          url_citation: { url: 'https://example.com/a', title: 'A', content: 'Zürich: 7 °C', ...place },
        },
        { type: 'url_citation', url: 'https://example.com/b' },
        { type: 'document_citation', document_citation: { document_id: 'Wetter.pdf', ...place } },
        { type: 'function_citation', function_citation: { tool_call_id: 'call_7', ...place } },
        { type: 'url_citation', url_citation: {} },
      ],
    },
    finish: ['end_turn', 'stop'],
    parts: [
      {
        ...said,
        citations: [
          { url: 'https://example.com/a', title: 'A', citedText: 'Zürich: 7 °C', ...where },
          { url: 'https://example.com/b' },
          { kind: 'file', title: 'Wetter.pdf', ...where },
          { title: 'call_7', ...where },
        ],
      },
    ],
    back: { content: text },
  },
  // Perplexity and xAI: sources beside the choices, in every chunk.
  {
    message: { content: text },
    beside: {
      citations: ['https://example.com/a', { url: 'https://example.com/b', title: 'B' }, 'https://example.com/a', {}],
      search_results: [
        { url: 'https://example.com/a', title: 'A' },
        { url: 'https://example.com/a', title: 'A, noch einmal' },
      ],
    },
    finish: ['COMPLETED', 'stop'],
    parts: [
      {
        ...said,
        citations: [
          { url: 'https://example.com/a', title: 'A' },
          { url: 'https://example.com/b', title: 'B' },
        ],
      },
    ],
    back: { content: text },
  },
  // OpenRouter: documents that it has read go back, so that it need not read them again.
  {
    message: { content: text, annotations: [parsedFile('Zürich.pdf'), parsedFile('東京.pdf')] },
    deltas: [{ content: text }, { annotations: [parsedFile('Zürich.pdf')] }, { annotations: [parsedFile('東京.pdf')] }],
    parts: [said],
    back: { content: text, annotations: [parsedFile('Zürich.pdf'), parsedFile('東京.pdf')] },
  },
  // OpenRouter's pictures, and xAI's addresses.
  {
    message: {
      content: text,
      images: [
        { type: 'image_url', image_url: { url: `data:image/png;base64,${pixel}` } },
        'https://example.com/b',
        {},
      ],
    },
    parts: [
      said,
      { type: 'file', mediaType: 'image/png', data: pixel },
      { type: 'file', mediaType: 'image/*', url: 'https://example.com/b' },
    ],
    back: {
      content: text,
      images: [
        { type: 'image_url', image_url: { url: `data:image/png;base64,${pixel}` } },
        { type: 'image_url', image_url: { url: 'https://example.com/b' } },
      ],
    },
  },
  // OpenAI.
  audio,
  // Groq's systems run tools themselves.
  executed,
  // OpenRouter: what is signed or sealed goes back whole; what Anthropic would refuse stays out.
  details,
  {
    message: { content: text, reasoning_details: [{ ...entry, text: thought.text }] },
    parts: [thought, said],
    back: { content: text },
  },
  // Gemini's endpoint.
  {
    message: {
      content: text,
      extra_content: { google: { thought_signature: 'c2lnbmllcnQ=' } },
      thought_signature: null,
    },
    finish: ['MAX_TOKENS', 'length'],
    parts: [said],
    back: { content: text, extra_content: { google: { thought_signature: 'c2lnbmllcnQ=' } } },
  },
  // Vercel's gateway hands on Gemini's counts, whose thoughts stand beside the answer.
  {
    message: { content: text, provider_metadata: { google: { usageMetadata: upstream } } },
    beside: { usage: { ...gatewayCounts, completion_tokens_details: { reasoning_tokens: 7 } } },
    parts: [said],
    back: { content: text },
    counts: { reasoningTokens: 7 },
  },
  // A function of the time before tools is not run.
  {
    message: { content: text, function_call: { name: 'get_weather', arguments: '{}' } },
    finish: ['model_length', 'length'],
    parts: [said],
    back: { content: text },
  },
  // How sure the model was.
  {
    message: { content: text },
    choice: { logprobs: { content: [{ token: text, logprob: -0.1, bytes: [83], top_logprobs: [] }] } },
    finish: ['model_context_window_exceeded', 'length'],
    parts: [said],
    logprobs: [{ token: text, logprob: -0.1, bytes: [83] }],
    back: { content: text },
  },
  ...entryForms,
]

/** Each with the usage in another form, too. */
export const answerForms: readonly ChatForm[] = answers.map((form, index) => {
  const { beside, ...counting } = usageForms[index] ?? {}
  return { ...form, ...counting, beside: { ...form.beside, ...beside } }
})
