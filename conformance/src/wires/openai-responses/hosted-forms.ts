import type { JsonObject } from '@steploop/core/adapter'
import type { ItemsForm } from './answer-form.ts'

const text = 'In Zürich sind es 7 °C 🌤️.'
const said = { type: 'text', text }
const plain = {
  type: 'message',
  id: 'msg_1',
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text, annotations: [], logprobs: [] }],
}
const image = 'iVBORw0KGgo='
const status = 'completed'

/** A call that the provider answered, and what came of it. */
function ran(toolCallId: string, toolName: string, input: JsonObject, output?: JsonObject): readonly JsonObject[] {
  const call = { type: 'tool-call', toolCallId, toolName, inputText: JSON.stringify(input), input, owner: 'provider' }
  return output === undefined ? [call] : [call, { type: 'tool-result', toolCallId, toolName, output }]
}

const commands = { commands: ['ls /東京'], timeout_ms: 1000 }
const shell = {
  type: 'shell_call',
  id: 'sh_1',
  call_id: 'call_sh',
  action: commands,
  status,
  environment: { type: 'container_reference', container_id: 'cntr_1' },
}
const chunk = { stdout: 'karte.txt', stderr: '', outcome: { type: 'exit', exit_code: 0 } }
const shellOutput = { type: 'shell_call_output', id: 'sho_1', call_id: 'call_sh', status, max_output_length: null }

const search = {
  type: 'tool_search_call',
  id: 'tsc_1',
  call_id: null,
  execution: 'server',
  arguments: { paths: ['Zürich'] },
  status,
}
const later = [{ type: 'function', name: 'spaeter', parameters: {}, strict: false }]
const found = { type: 'tool_search_output', id: 'tso_1', call_id: null, execution: 'server', tools: later, status }

const program = { type: 'program', id: 'prog_1', call_id: 'call_p', code: 'print(6 + 1)', fingerprint: 'f1' }
const printed = { type: 'program_output', id: 'po_1', call_id: 'call_p', result: '7', status }

const sources = [{ type: 'url', url: 'https://example.com/a' }]
const silent = { type: 'mcp_call', id: 'mcp_1', server_label: 'ort', name: 'roll', arguments: '{"n":2}' }

const unfinished = { type: 'image_generation_call', id: 'ig_3', status: 'failed' }

/** Calls that failed or gave nothing, members that are null, and a picture of another type: they go back as they came. */
const withoutResults = [
  { type: 'web_search_call', id: 'ws_1', status, action: { type: 'search', query: 'Zürich', sources } },
  {
    type: 'code_interpreter_call',
    id: 'ci_1',
    status: 'failed',
    code: null,
    container_id: 'cntr_1',
    outputs: null,
  },
  { ...silent, output: null, error: null },
  { ...silent, id: 'mcp_2' },
  { type: 'image_generation_call', id: 'ig_1', status, result: image, output_format: 'webp' },
  { type: 'image_generation_call', id: 'ig_2', status: 'failed', result: null },
  unfinished,
  // xAI gives its searches a name and arguments, each as text.
  { type: 'web_search_call', id: 'ws_2', status, name: 'browse', arguments: '{"url":"https://example.com/a"}' },
  { ...program, id: 'prog_2', call_id: 'call_r' },
  { ...printed, id: 'po_2', call_id: 'call_r', result: '' },
  plain,
]

export const hostedForms: readonly ItemsForm[] = [
  // Results that are items of their own; who made an item is told in answers only.
  {
    items: [
      { ...shell, created_by: 'user_1' },
      { ...shellOutput, output: [{ ...chunk, created_by: 'user_1' }], created_by: 'user_1' },
      search,
      found,
      program,
      printed,
      plain,
    ],
    parts: [
      ...ran('call_sh', 'shell', commands, { type: 'json', value: { output: [{ ...chunk, created_by: 'user_1' }] } }),
      ...ran('tsc_1', 'tool_search', { paths: ['Zürich'] }, { type: 'json', value: { tools: later } }),
      ...ran('call_p', 'program', { code: 'print(6 + 1)' }, { type: 'text', value: '7' }),
      said,
    ],
    back: [shell, { ...shellOutput, output: [chunk] }, search, found, program, printed, plain],
  },
  {
    items: withoutResults,
    finish: ['max_output_tokens', 'length'],
    parts: [
      ...ran(
        'ws_1',
        'web_search',
        { type: 'search', query: 'Zürich', sources },
        {
          type: 'json',
          value: { status, sources },
        },
      ),
      ...ran('ci_1', 'code_interpreter', { container_id: 'cntr_1' }, { type: 'json', value: { status: 'failed' } }),
      ...ran('mcp_1', 'roll', { n: 2 }, { type: 'text', value: '' }),
      ...ran('mcp_2', 'roll', { n: 2 }, { type: 'text', value: '' }),
      ...ran('ig_1', 'image_generation', {}, { type: 'json', value: { status } }),
      { type: 'file', mediaType: 'image/webp', data: image },
      ...ran('ig_2', 'image_generation', {}, { type: 'json', value: { status: 'failed' } }),
      ...ran('ig_3', 'image_generation', {}, { type: 'json', value: { status: 'failed' } }),
      ...ran('ws_2', 'browse', { url: 'https://example.com/a' }, { type: 'json', value: { status } }),
      ...ran('call_r', 'program', { code: 'print(6 + 1)' }, { type: 'text', value: '' }),
      said,
    ],
    // The member has to be there.
    back: withoutResults.map((item) => (item === unfinished ? { ...item, result: null } : item)),
  },
]
