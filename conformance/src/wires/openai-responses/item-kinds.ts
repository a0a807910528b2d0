import type { JsonObject } from '@steploop/core/adapter'

/** An item of an answer, and what has to become of it. */
export interface ItemKind {
  readonly item: JsonObject
  /** The name that its call is reported under. */
  readonly toolName: string
  /** What its call asks for. */
  readonly input: JsonObject
  /** Item as it is sent back. Default: as it came. */
  readonly sent?: JsonObject | undefined
  /** The declaration of its tool. Default: none, or that of one before it. */
  readonly declared?: (JsonObject & { readonly type: string }) | undefined
}

export interface HostedKind extends ItemKind {
  /** What came of it, where the item itself says so. */
  readonly output?: unknown
}

interface ClientKind extends ItemKind {
  /** What the application answers. */
  readonly output: unknown
  readonly answer: JsonObject
}

const image = 'iVBORw0KGgo='
const query = 'Türme von 東京'
const call = { status: 'completed' }
const lost = { type: 'mcp_protocol_error', code: -32_000, message: 'zu 東京' }

/** https://platform.openai.com/docs/api-reference/responses/object: what OpenAI ran itself. */
export const hosted: readonly HostedKind[] = [
  {
    item: { id: 'ws_kind1', type: 'web_search_call', ...call, action: { type: 'search', query } },
    declared: { type: 'web_search_preview' },
    toolName: 'search',
    input: { type: 'search', query },
    output: { status: 'completed' },
  },
  {
    item: { id: 'fs_kind3', type: 'file_search_call', ...call, queries: [query], results: [{ file_id: 'file_1' }] },
    toolName: 'file_search',
    input: { queries: [query] },
    output: { status: 'completed', results: [{ file_id: 'file_1' }] },
  },
  {
    item: { id: 'ig_kind4', type: 'image_generation_call', ...call, revised_prompt: query, result: image },
    toolName: 'image_generation',
    input: { revised_prompt: query },
    output: { status: 'completed' },
  },
  {
    item: {
      id: 'mcp_kind5',
      type: 'mcp_call',
      server_label: 'ort',
      name: 'roll',
      arguments: '{"n":2}',
      output: '🎲 4',
    },
    toolName: 'roll',
    input: { n: 2 },
    output: '🎲 4',
  },
  {
    item: { id: 'mcp_kind6', type: 'mcp_call', server_label: 'ort', name: 'lose', arguments: '{}', error: lost },
    toolName: 'lose',
    input: {},
    output: { error: lost },
  },
  {
    item: {
      id: 'tsc_kind7',
      type: 'tool_search_call',
      call_id: null,
      ...call,
      execution: 'server',
      arguments: { paths: ['wetter'] },
    },
    toolName: 'tool_search',
    input: { paths: ['wetter'] },
  },
]

/** https://platform.openai.com/docs/api-reference/responses/object: what waits for the application. Its answer has a type of its own for each. */
export const client: readonly ClientKind[] = [
  {
    item: { id: 'ctc_kind0', type: 'custom_tool_call', call_id: 'call_kind0', ...call, name: 'rede', input: '' },
    sent: { id: 'ctc_kind0', type: 'custom_tool_call', call_id: 'call_kind0', name: 'rede', input: '' },
    declared: { type: 'custom', name: 'rede' },
    toolName: 'speech',
    input: { input: '' },
    output: { words: 3 },
    answer: { type: 'custom_tool_call_output', call_id: 'call_kind0', output: '{"words":3}' },
  },
  {
    item: { id: 'ctc_kind1', type: 'custom_tool_call', call_id: 'call_kind1', ...call, name: 'brief', input: query },
    sent: { id: 'ctc_kind1', type: 'custom_tool_call', call_id: 'call_kind1', name: 'brief', input: query },
    declared: { type: 'custom', name: 'brief' },
    toolName: 'letter',
    input: { input: query },
    output: 'Geschrieben ✍️',
    answer: { type: 'custom_tool_call_output', call_id: 'call_kind1', output: 'Geschrieben ✍️' },
  },
  {
    item: {
      id: 'lsh_kind2',
      type: 'local_shell_call',
      call_id: 'call_kind2',
      ...call,
      action: { type: 'exec', command: ['ls', '東京'], env: {} },
    },
    declared: { type: 'local_shell' },
    toolName: 'local_shell',
    input: { type: 'exec', command: ['ls', '東京'], env: {} },
    output: 'turm.txt',
    answer: { type: 'local_shell_call_output', id: 'call_kind2', output: 'turm.txt' },
  },
  {
    item: {
      id: 'sh_kind3',
      type: 'shell_call',
      call_id: 'call_kind3',
      ...call,
      environment: { type: 'local' },
      action: { commands: ['ls'], max_output_length: 4096 },
      caller: { type: 'program', caller_id: 'prog_kind' },
    },
    declared: { type: 'shell', environment: { type: 'local' } },
    toolName: 'shell',
    input: { commands: ['ls'], max_output_length: 4096 },
    output: 'zug.txt',
    answer: {
      type: 'shell_call_output',
      call_id: 'call_kind3',
      output: [{ stdout: 'zug.txt', stderr: '', outcome: { type: 'exit', exit_code: 0 } }],
      max_output_length: 4096,
      caller: { type: 'program', caller_id: 'prog_kind' },
    },
  },
  {
    item: { id: 'sh_kind8', type: 'shell_call', call_id: 'call_kind8', ...call, action: { commands: ['rm'] } },
    toolName: 'shell',
    input: { commands: ['rm'] },
    output: { output: [{ stdout: '', stderr: 'gesperrt 🔒', outcome: { type: 'exit', exit_code: 1 } }] },
    answer: {
      type: 'shell_call_output',
      call_id: 'call_kind8',
      output: [{ stdout: '', stderr: 'gesperrt 🔒', outcome: { type: 'exit', exit_code: 1 } }],
    },
  },
  {
    item: {
      id: 'apc_kind9',
      type: 'apply_patch_call',
      call_id: 'call_kind9',
      ...call,
      operation: { type: 'delete_file', path: 'tor.txt' },
    },
    toolName: 'apply_patch',
    input: { type: 'delete_file', path: 'tor.txt' },
    output: { status: 'failed', output: 'fehlt' },
    answer: { type: 'apply_patch_call_output', call_id: 'call_kind9', status: 'failed', output: 'fehlt' },
  },
  {
    item: {
      id: 'cu_kind10',
      type: 'computer_call',
      call_id: 'call_kind10',
      ...call,
      actions: [{ type: 'wait' }],
      pending_safety_checks: [],
    },
    toolName: 'computer',
    input: { actions: [{ type: 'wait' }], pending_safety_checks: [] },
    output: { file_id: 'file_kind10' },
    answer: {
      type: 'computer_call_output',
      call_id: 'call_kind10',
      output: { type: 'computer_screenshot', file_id: 'file_kind10' },
    },
  },
  {
    item: { id: 'mcpr_kind11', type: 'mcp_approval_request', server_label: 'see', name: 'dive', arguments: '{}' },
    declared: { type: 'mcp', server_label: 'see', server_url: 'https://mcp.example.com/see' },
    toolName: 'lake',
    input: { server_label: 'see', name: 'dive', arguments: '{}' },
    output: { approve: false, reason: 'zu kalt' },
    answer: {
      type: 'mcp_approval_response',
      approval_request_id: 'mcpr_kind11',
      approve: false,
      reason: 'zu kalt',
    },
  },
  {
    item: {
      id: 'apc_kind4',
      type: 'apply_patch_call',
      call_id: 'call_kind4',
      ...call,
      operation: { type: 'delete_file', path: 'turm.txt' },
    },
    declared: { type: 'apply_patch' },
    toolName: 'apply_patch',
    input: { type: 'delete_file', path: 'turm.txt' },
    output: 'gelöscht',
    answer: { type: 'apply_patch_call_output', call_id: 'call_kind4', status: 'completed', output: 'gelöscht' },
  },
  {
    item: {
      id: 'cu_kind5',
      type: 'computer_call',
      call_id: 'call_kind5',
      ...call,
      action: { type: 'screenshot' },
      pending_safety_checks: [{ id: 'cu_sc_1', code: 'malicious_instructions', message: 'Vorsicht' }],
    },
    declared: { type: 'computer_use_preview', display_width: 1024, display_height: 768, environment: 'browser' },
    toolName: 'computer',
    input: {
      action: { type: 'screenshot' },
      pending_safety_checks: [{ id: 'cu_sc_1', code: 'malicious_instructions', message: 'Vorsicht' }],
    },
    output: { image_url: `data:image/png;base64,${image}` },
    answer: {
      type: 'computer_call_output',
      call_id: 'call_kind5',
      output: { type: 'computer_screenshot', image_url: `data:image/png;base64,${image}` },
      acknowledged_safety_checks: [{ id: 'cu_sc_1', code: 'malicious_instructions', message: 'Vorsicht' }],
    },
  },
  {
    item: { id: 'mcpr_kind6', type: 'mcp_approval_request', server_label: 'ort', name: 'roll', arguments: '{"n":2}' },
    declared: { type: 'mcp', server_label: 'ort', server_url: 'https://mcp.example.com' },
    toolName: 'place',
    input: { server_label: 'ort', name: 'roll', arguments: '{"n":2}' },
    output: { approve: true },
    answer: { type: 'mcp_approval_response', approval_request_id: 'mcpr_kind6', approve: true },
  },
  {
    item: {
      id: 'tsc_kind7',
      type: 'tool_search_call',
      call_id: 'call_kind7',
      ...call,
      execution: 'client',
      arguments: { goal: query },
    },
    declared: { type: 'tool_search', execution: 'client' },
    toolName: 'tool_search',
    input: { goal: query },
    output: { tools: [{ type: 'function', name: 'spaeter', parameters: {} }] },
    answer: {
      type: 'tool_search_output',
      call_id: 'call_kind7',
      execution: 'client',
      status: 'completed',
      tools: [{ type: 'function', name: 'spaeter', parameters: {} }],
    },
  },
]
