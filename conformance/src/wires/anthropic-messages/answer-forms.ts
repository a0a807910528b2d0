import type { JsonObject } from '@steploop/core/adapter'
import { without } from '../../json.ts'
import { delta, framed, start, stop, type BlocksForm } from './answer-form.ts'

const text = 'In Zürich sind es 7 °C 🌤️.'
const said = { type: 'text', text }

const direct = { caller: { type: 'direct' } }
const server = (id: string, name: string, input: JsonObject): JsonObject => ({
  type: 'server_tool_use',
  id,
  name,
  input,
  ...direct,
})
const ran = (toolCallId: string, toolName: string, input: JsonObject, output: JsonObject): readonly JsonObject[] => [
  { type: 'tool-call', toolCallId, toolName, inputText: JSON.stringify(input), input, owner: 'provider' },
  { type: 'tool-result', toolCallId, toolName, output },
]
const failure = (message: string, errorCode?: string): JsonObject => ({
  type: 'error',
  value: { code: 'tool-failed', message, ...(errorCode !== undefined && { errorCode }) },
})

const query = { query: 'Zürich' }
const page = { type: 'web_search_result', url: 'https://example.com/a', title: 'A', encrypted_content: 'dmVy' }
const fetched = {
  type: 'web_fetch_result',
  url: 'https://example.com/a',
  content: {
    type: 'document',
    source: { type: 'text', media_type: 'text/plain', data: '7 °C' },
    title: null,
    citations: { enabled: true },
  },
  retrieved_at: null,
}
const roll = { type: 'mcp_tool_use', id: 'mcptoolu_1', name: 'roll', server_name: 'ort', input: { n: 2 } }
const rolled = { type: 'mcp_tool_result', tool_use_id: 'mcptoolu_1', is_error: false }
const lost = { type: 'web_search_tool_result_error', error_code: 'max_uses_exceeded' }
const broken = {
  type: 'text_editor_code_execution_tool_result_error',
  error_code: 'file_not_found',
  error_message: 'Kein karte.txt.',
}
const view = { command: 'view', path: '/東京/karte.txt' }

const servers = [
  server('srvtoolu_1', 'web_search', query),
  { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [page], ...direct },
  server('srvtoolu_2', 'web_fetch', { url: 'https://example.com/a' }),
  { type: 'web_fetch_tool_result', tool_use_id: 'srvtoolu_2', content: fetched, ...direct },
  roll,
  { ...rolled, content: [{ type: 'text', text: '🎲 4' }] },
  { ...roll, id: 'mcptoolu_2' },
  { ...rolled, tool_use_id: 'mcptoolu_2', content: '🎲 5' },
  said,
]
const failures = [
  server('srvtoolu_1', 'web_search', query),
  { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: lost, ...direct },
  server('srvtoolu_2', 'text_editor_code_execution', view),
  { type: 'text_editor_code_execution_tool_result', tool_use_id: 'srvtoolu_2', content: broken },
  roll,
  {
    ...rolled,
    is_error: true,
    content: [
      { type: 'text', text: 'Kein ' },
      { type: 'text', text: 'Würfel.' },
    ],
  },
  { ...roll, id: 'mcptoolu_2' },
  { ...rolled, tool_use_id: 'mcptoolu_2', is_error: true, content: 'Kein Würfel.' },
  said,
]

const inFile = { cited_text: '7 °C', document_index: 0, document_title: 'Wetter.pdf', file_id: 'file_1' }
const citations = [
  { type: 'char_location', ...inFile, start_char_index: 0, end_char_index: 4 },
  { type: 'page_location', ...inFile, start_page_number: 1, end_page_number: 2 },
  { type: 'content_block_location', ...inFile, start_block_index: 0, end_block_index: 1 },
  {
    type: 'web_search_result_location',
    cited_text: '',
    url: 'https://example.com/a',
    title: null,
    encrypted_index: 'dmVy',
  },
]
const cited = { type: 'text', text, citations }
const returned = { ...cited, citations: citations.map((citation) => without(citation, 'file_id')) }
const orphan = { ...rolled, tool_use_id: 'mcptoolu_before' }

const thought = { type: 'thinking', thinking: 'Ich prüfe.', signature: 'c2lnbmllcnQ=' }
const sealed = { type: 'redacted_thinking', data: 'dmVyc2llZ2VsdA==' }
const map = { type: 'weather_map', caption: 'Karte von Zürich', tiles: [7], sky: { icon: '☀️' } }

const served = { service_tier: 'standard', inference_geo: null }
const noCounts = {
  input_tokens: null,
  cache_creation_input_tokens: null,
  cache_read_input_tokens: null,
  output_tokens_details: null,
  server_tool_use: null,
}

export const answerForms: readonly BlocksForm[] = [
  // Tools that the API runs: their results are lists, objects and texts.
  {
    blocks: servers,
    parts: [
      ...ran('srvtoolu_1', 'web_search', query, { type: 'json', value: [page] }),
      ...ran('srvtoolu_2', 'web_fetch', { url: 'https://example.com/a' }, { type: 'json', value: fetched }),
      ...ran('mcptoolu_1', 'roll', { n: 2 }, { type: 'json', value: [{ type: 'text', text: '🎲 4' }] }),
      ...ran('mcptoolu_2', 'roll', { n: 2 }, { type: 'text', value: '🎲 5' }),
      said,
    ],
    // All is counted at the start, and what comes at the end says nothing of it.
    usage: [
      { input_tokens: 90, cache_creation_input_tokens: 10, cache_read_input_tokens: 20, output_tokens: 27, ...served },
      { input_tokens: 90, cache_creation_input_tokens: 10, cache_read_input_tokens: 20, output_tokens: 1, ...served },
      { ...noCounts, output_tokens: 27 },
    ],
    counts: { cachedInputTokens: 20, cacheWriteTokens: 10 },
  },
  // Those that failed say so in their content, or beside it.
  {
    blocks: failures,
    finish: ['max_tokens', 'length'],
    parts: [
      ...ran('srvtoolu_1', 'web_search', query, failure('max_uses_exceeded', 'max_uses_exceeded')),
      ...ran('srvtoolu_2', 'text_editor_code_execution', view, failure('Kein karte.txt.', 'file_not_found')),
      ...ran('mcptoolu_1', 'roll', { n: 2 }, failure('Kein Würfel.')),
      ...ran('mcptoolu_2', 'roll', { n: 2 }, failure('Kein Würfel.')),
      said,
    ],
    // The input is counted in the cache alone.
    usage: [
      { cache_creation_input_tokens: 100, cache_read_input_tokens: 20, output_tokens: 27 },
      { cache_creation_input_tokens: 100 },
      { cache_read_input_tokens: 20, output_tokens: 27 },
    ],
    counts: { cachedInputTokens: 20, cacheWriteTokens: 100 },
  },
  // Sources: three places in a document, and a page; the id of a file is told in answers only. The call of the result before is not known.
  {
    blocks: [{ ...orphan, content: [cited] }, cited],
    finish: ['stop_sequence', 'stop'],
    ends: { stop_sequence: '🌤️.' },
    parts: [
      { type: 'opaque' },
      {
        ...said,
        citations: [
          { kind: 'file', title: 'Wetter.pdf', citedText: '7 °C' },
          { kind: 'file', title: 'Wetter.pdf', citedText: '7 °C' },
          { kind: 'file', title: 'Wetter.pdf', citedText: '7 °C' },
          { url: 'https://example.com/a' },
        ],
      },
    ],
    back: [{ ...orphan, content: [returned] }, returned],
    usage: [
      { input_tokens: 120, output_tokens: 27, output_tokens_details: { thinking_tokens: 7 } },
      { input_tokens: 3, output_tokens: 1 },
      { input_tokens: 120, output_tokens: 27, output_tokens_details: { thinking_tokens: 7 } },
    ],
    counts: { reasoningTokens: 7 },
  },
  // Thoughts, and blocks of new kinds, whose pieces are of new kinds too.
  {
    blocks: [thought, sealed, map, said],
    streamed: [
      ...framed(thought, 0),
      ...framed(sealed, 1),
      start(2, { type: 'weather_map', caption: 'Karte ', sky: null }),
      delta(2, { type: 'caption_delta', caption: 'von ' }),
      delta(2, { type: 'caption_delta', caption: 'Zürich' }),
      delta(2, { type: 'tiles_delta', tiles: [7], sky: { icon: '☀️' } }),
      stop(2),
      start(3, { type: 'text', text: 'In Zürich', citations: null }),
      delta(3, { type: 'weather_delta', degrees: 7 }),
      delta(3, { type: 'text_delta', text: ' sind es 7 °C 🌤️.' }),
      stop(3),
    ],
    finish: ['model_context_window_exceeded', 'length'],
    parts: [{ type: 'reasoning', text: 'Ich prüfe.' }, { type: 'opaque' }, { type: 'opaque' }, said],
  },
  // Proxies leave out the start of a block, its end and its index.
  {
    blocks: [thought, said],
    streamed: [
      delta(0, { type: 'thinking_delta', thinking: 'Ich prüfe.' }),
      delta(0, { type: 'signature_delta', signature: 'c2lnbmllcnQ=' }),
      delta(1, { type: 'text_delta', text }),
    ],
    finish: ['refusal', 'content-filter'],
    ends: { stop_details: { type: 'refusal', category: 'bio', explanation: null } },
    parts: [{ type: 'reasoning', text: 'Ich prüfe.' }, said],
  },
]
