import { providerTool, type ToolAnswer, type ToolSet } from '@steploop/core'
import { arrayOf, objectOf, type JsonObject } from '@steploop/core/adapter'
import { unless, type Check } from '../../check.ts'
import { canonicalJson } from '../../json.ts'
import { transcriptOf, stored } from '../../scenario.ts'
import type { WireQuirk } from '../variants/quirk.ts'
import { client, hosted, type HostedKind, type ItemKind } from './item-kinds.ts'
import { bodies, both, events, perMode, requests } from '../variants/recipe.ts'

interface ItemsOptions<Kind> {
  readonly kinds: readonly Kind[]
  /** What goes back to the kinds, in the order of their calls. */
  readonly answers?: readonly JsonObject[]
  /** The tool that the first request demands, and the words of the format for it. */
  readonly chosen: string
  readonly choice: JsonObject
}

/** The items stand before the one call of the first answer, and so in the second request; their answers before that of the call. */
function withItems({ kinds, answers = [], choice }: ItemsOptions<ItemKind>): WireQuirk['change'] {
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
      const all = { ...body, tools: [...arrayOf(body['tools']), ...kinds.flatMap(({ declared }) => declared ?? [])] }
      return exchange === 0
        ? { ...all, tool_choice: choice }
        : { ...all, input: [question, ...sent, theCall, ...answers, ...results] }
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
    ...(item['type'] === 'custom_tool_call' ? textDeltas(String(item['input']), output_index) : []),
    { type: 'response.output_item.done', output_index, item },
  ])
  return [...whole, moved]
}

function textDeltas(text: string, output_index: number): readonly JsonObject[] {
  const pieces = [text.slice(0, 5), text.slice(5)]
  return pieces.map((delta) => ({ type: 'response.custom_tool_call_input.delta', output_index, delta }))
}

const itemsReported = (kinds: readonly HostedKind[], owner: 'provider' | 'client'): Check => ({
  id: 'items-reported',
  sentence:
    'Each kind of item is a call with its name, its input and its owner, and has its result where the item has one.',
  judge: ({ runs }) => {
    const reported = runs[0]?.turns[0]?.events ?? []
    const calls = reported.flatMap((event) => (event.type === 'tool-call' && event.owner === owner ? [event] : []))
    return kinds.flatMap(({ item, toolName, input, output }, index) => {
      const found = calls[index]
      const where = `run 1, turn 1, \`${String(item['type'])}\``
      if (found === undefined) return [{ message: 'its call is not reported', where }]
      const words = `${found.toolName} ${canonicalJson(found.input)}`
      const expected = `${toolName} ${canonicalJson(input)}`
      const result = reported.find((event) => event.type === 'tool-result' && event.toolCallId === found.toolCallId)
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

/** The conversation of the base, with the tools of these kinds. */
function asksFor({
  kinds,
  chosen,
}: ItemsOptions<ItemKind & { readonly output?: unknown }>): NonNullable<WireQuirk['run']> {
  return async ({ run, tools }) => {
    const own = kinds.flatMap(({ toolName, declared }) =>
      declared === undefined ? [] : [providerTool({ provider: 'openai', name: toolName, definition: declared })],
    )
    const all: ToolSet = Object.fromEntries(own.map((one) => [one.name, one]))
    const options = {
      tools: { lookup_order: { ...tools().lookup_order, execute: undefined }, ...all },
      toolChoice: { type: 'tool' as const, toolName: chosen },
    }
    const transcript = stored(transcriptOf(await run('Wo ist ZH-1001? 📦', options)))
    const toolOutputs: Record<string, ToolAnswer> = {}
    for (const [index, { toolCallId, toolName }] of transcript.pendingCalls.entries()) {
      const output = toolName === 'lookup_order' ? 'liegt im Zoll von 東京 🛃' : kinds[index]?.output
      toolOutputs[toolCallId] = { output }
    }
    await run({ transcript, toolOutputs }, options)
  }
}

const ofProvider = { kinds: hosted, chosen: 'search', choice: { type: 'web_search_preview' } }

const hostedItems: WireQuirk = {
  of: 'client-tool',
  id: 'responses-hosted-items',
  title: 'Every kind of item that the provider ran itself is reported as its own, and goes back as it came.',
  at: ['openai-responses/in-full'],
  recipe: 'items of five kinds before the call, there and back (docs/wire.md#responses-mixed-output)',
  change: withItems(ofProvider),
  stressors: { noise: 'Noise turns the keys of every object round, and inputs of these calls are objects.' },
  moreChecks: [itemsReported(hosted, 'provider')],
  run: asksFor(ofProvider),
  golden: `
    run 1
      step 1 tool-calls
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
      step 1 stop: text
      completed answer
  `,
}

const ofClient = {
  kinds: client,
  answers: client.map(({ answer }) => answer),
  chosen: 'place',
  choice: { type: 'mcp', server_label: 'ort' },
}

const clientItems: WireQuirk = {
  of: 'client-tool',
  id: 'responses-client-items',
  title:
    'Every kind of call that waits for the application is its own to answer, in an item of the type that belongs to it.',
  at: ['openai-responses/in-full'],
  recipe:
    'calls of seven kinds before the call, and their answers, one of them demanded (docs/wire.md#responses-shell-calls)',
  change: withItems(ofClient),
  stressors: { noise: 'Noise turns the keys of every object round, and inputs of these calls are objects.' },
  checks: [itemsReported(client, 'client')],
  run: asksFor(ofClient),
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
