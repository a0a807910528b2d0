import { providerTool } from '@steploop/core'
import { arrayOf, objectOf, type JsonObject } from '@steploop/core/adapter'
import { unless, type Check } from '../../check.ts'
import { canonicalJson } from '../../json.ts'
import { transcriptOf, stored } from '../../scenario.ts'
import { clientOwned } from '../../play/local-tools.ts'
import type { WireQuirk } from '../quirk.ts'
import { bodies, both, events, perMode, requests } from '../recipe.ts'

/** An item of an answer, and what has to become of it. */
interface ItemKind {
  readonly item: JsonObject
  /** The name that its call is reported under. */
  readonly toolName: string
  /** What its call asks for. */
  readonly input: JsonObject
  /** As it is sent back. Default: as it came. */
  readonly sent?: JsonObject | undefined
}

interface HostedKind extends ItemKind {
  /** What came of it, where the item itself says so. */
  readonly output?: unknown
}

interface ClientKind extends ItemKind {
  /** The declaration of its tool. */
  readonly declared: JsonObject & { readonly type: string }
  /** What the application answers. */
  readonly output: unknown
  readonly answer: JsonObject
}

const image = 'iVBORw0KGgo='
const query = 'Türme von 東京'
const call = { status: 'completed' }

/** https://platform.openai.com/docs/api-reference/responses/object: what OpenAI, or xAI in its place, ran itself. */
const hosted: readonly HostedKind[] = [
  {
    item: { id: 'ws_kind1', type: 'web_search_call', ...call, action: { type: 'search', query } },
    toolName: 'web_search',
    input: { type: 'search', query },
    output: { status: 'completed' },
  },
  {
    item: {
      id: 'xs_kind2',
      type: 'x_search_call',
      ...call,
      name: 'x_keyword_search',
      arguments: `{"query":"${query}"}`,
    },
    toolName: 'x_keyword_search',
    input: { query },
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
    item: { id: 'mcp_kind6', type: 'mcp_call', server_label: 'ort', name: 'lose', arguments: '{}', error: 'zu 東京' },
    toolName: 'lose',
    input: {},
    output: { error: 'zu 東京' },
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

/** The same page: what waits for the application. Its answer has a type of its own for each. */
const client: readonly ClientKind[] = [
  {
    item: { id: 'ctc_kind1', type: 'custom_tool_call', call_id: 'call_kind1', ...call, name: 'brief', input: query },
    sent: { id: 'ctc_kind1', type: 'custom_tool_call', call_id: 'call_kind1', name: 'brief', input: query },
    declared: { type: 'custom', name: 'brief' },
    toolName: 'brief',
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
    toolName: 'mcp_approval_request',
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

/** The items stand before the one call of the first answer, and so in the second request; their answers before that of the call. */
function withItems(
  kinds: readonly ItemKind[],
  {
    answers = [],
    declared = [],
  }: { readonly answers?: readonly JsonObject[]; readonly declared?: readonly JsonObject[] } = {},
): WireQuirk['change'] {
  const items = kinds.map(({ item }) => item)
  const sent = kinds.map((kind) => kind.sent ?? kind.item)
  const first = (change: (value: JsonObject) => readonly JsonObject[]) => (value: JsonObject, exchange: number) =>
    exchange === 0 ? change(value) : [value]
  const ofBody = first((body) => [{ ...body, output: [...items, ...arrayOf(body['output'])] }])
  const ofEvent = first((event) => streamed(event, items))
  return both(
    requests((body, exchange) => {
      const [question, ...rest] = arrayOf(body['input'])
      const [theCall, ...results] = rest
      const all = { ...body, tools: [...arrayOf(body['tools']), ...declared] }
      return exchange === 0 ? all : { ...all, input: [question, ...sent, theCall, ...answers, ...results] }
    }),
    perMode(
      bodies((body, exchange) => ofBody(body, exchange)[0] ?? body),
      events((event, { exchange }) => ofEvent(event, exchange)),
    ),
  )
}

function streamed(event: JsonObject, items: readonly JsonObject[]): readonly JsonObject[] {
  const { sequence_number: _later, output_index: at, ...rest } = event
  if (event['type'] === 'response.completed') {
    const response = objectOf(event['response'])
    return [{ ...rest, response: { ...response, output: [...items, ...arrayOf(response['output'])] } }]
  }
  if (typeof at !== 'number') return [rest]
  const moved = { ...rest, output_index: at + items.length }
  if (at > 0 || event['type'] !== 'response.output_item.added') return [moved]
  const whole = items.flatMap((item, output_index) => [
    { type: 'response.output_item.added', output_index, item: { ...item, status: 'in_progress' } },
    { type: 'response.output_item.done', output_index, item },
  ])
  return [...whole, moved]
}

const itemsReported = (kinds: readonly HostedKind[], owner: 'provider' | 'client'): Check => ({
  id: 'items-reported',
  sentence:
    'Each kind of item is a call with its name, its input and its owner, and has its result where the item has one.',
  judge: ({ runs }) => {
    const told = runs[0]?.turns[0]?.events ?? []
    const calls = told.flatMap((event) => (event.type === 'tool-call' && event.owner === owner ? [event] : []))
    return kinds.flatMap(({ item, toolName, input, output }, index) => {
      const found = calls[index]
      const where = `run 1, turn 1, \`${String(item['type'])}\``
      if (found === undefined) return [{ message: 'its call is not reported', where }]
      const words = `${found.toolName} ${canonicalJson(found.input)}`
      const expected = `${toolName} ${canonicalJson(input)}`
      const result = told.find((event) => event.type === 'tool-result' && event.toolCallId === found.toolCallId)
      const value =
        result?.type === 'tool-result' && result.output.type !== 'error' ? canonicalJson(result.output.value) : 'none'
      return [
        ...unless(words === expected, `the call is ${words}, not ${expected}`, where),
        ...unless(
          owner === 'client' || output === undefined || value === canonicalJson(output),
          `the result is ${value}, not ${canonicalJson(output)}`,
          where,
        ),
      ]
    })
  },
})

const hostedItems: WireQuirk = {
  of: 'client-tool',
  id: 'responses-hosted-items',
  title: 'Every kind of item that the provider ran itself is reported as its own, and goes back as it came.',
  at: ['openai-responses/openai'],
  recipe: 'items of seven kinds before the call, there and back (docs/wire.md#responses-mixed-output)',
  change: withItems(hosted),
  stressors: { noise: 'Noise turns the keys of every object round, and inputs of these calls are objects.' },
  moreChecks: [itemsReported(hosted, 'provider')],
  golden: `
    run 1
      step 1 tool-calls
        call by provider
        tool-result
        call by provider
        tool-result
        call by provider
        tool-result
        call by provider
        tool-result
        file
        call by provider
        tool-result
        call by provider
        tool-result
        call by provider
        call lookup_order {"id":"ZH-1001"} by client
      requires-action client-tool
        pending lookup_order
    run 2
      step 1 stop
        text
      completed answer
  `,
}

const clientItems: WireQuirk = {
  of: 'client-tool',
  id: 'responses-client-items',
  title:
    'Every kind of call that waits for the application is its own to answer, in an item of the type that belongs to it.',
  at: ['openai-responses/openai'],
  recipe: 'calls of seven kinds before the call, and their answers (docs/wire.md#responses-shell-calls)',
  change: withItems(client, {
    answers: client.map(({ answer }) => answer),
    declared: client.map(({ declared }) => declared),
  }),
  stressors: { noise: 'Noise turns the keys of every object round, and inputs of these calls are objects.' },
  checks: [itemsReported(client, 'client')],
  async run({ run, tools }) {
    const own = client.map(({ toolName, declared }) => [
      toolName,
      providerTool({ provider: 'openai', name: toolName, definition: declared }),
    ])
    const options = { tools: { lookup_order: clientOwned(tools().lookup_order), ...Object.fromEntries(own) } }
    const transcript = stored(transcriptOf(await run('Wo ist ZH-1001? 📦', options)))
    const outputs = transcript.pendingCalls.map(({ toolCallId }, index) => [
      toolCallId,
      { output: client[index]?.output ?? 'liegt im Zoll von 東京 🛃' },
    ])
    await run({ transcript, toolOutputs: Object.fromEntries(outputs) }, options)
  },
  golden: `
    run 1
      step 1 tool-calls
${client.map(({ toolName, input }) => `        call ${toolName} ${canonicalJson(input)} by client`).join('\n')}
        call lookup_order {"id":"ZH-1001"} by client
      requires-action client-tool
${client.map(({ toolName }) => `        pending ${toolName}`).join('\n')}
        pending lookup_order
    run 2
      step 1 stop
        text
      completed answer
  `,
}

export const openaiResponsesItems: readonly WireQuirk[] = [hostedItems, clientItems]
