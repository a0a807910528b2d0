import type { TurnEvent, Warning } from '../contract/adapter.ts'
import type { Message } from '../contract/messages.ts'
import { isObject } from '../wire/json.ts'

const finishReasons = ['stop', 'tool-calls', 'length', 'content-filter', 'pause', 'error', 'unknown']
const warningTypes = ['dropped', 'coerced', 'unsupported', 'repaired', 'unproven-end']
const owners = ['client', 'provider']
const outputs = ['text', 'json', 'error', 'content']

/**
 * What is wrong with the order of a turn's events: it begins with the only `turn-start`, ends with the only `turn-end`, and opens each part
 * before it goes on or closes.
 *
 * @param threw the turn failed after them
 */
export function orderFaults(events: readonly TurnEvent[], threw: boolean): readonly string[] {
  const faults: string[] = []
  const [first, last] = [events[0], events.at(-1)]
  if (first !== undefined && first.type !== 'turn-start') faults.push(`the first event is '${first.type}'`)
  const starts = events.filter(({ type }) => type === 'turn-start').length
  if (starts > 1) faults.push(`there are ${starts} \`turn-start\` events, not one`)
  const ends = events.filter(({ type }) => type === 'turn-end').length
  if (!threw && ends !== 1)
    faults.push(`there are ${ends} \`turn-end\` events, not one; push it in \`end()\`, or at the end of \`decode\``)
  if (!threw && last?.type !== 'turn-end') faults.push(`the last event is '${last?.type}', not \`turn-end\``)
  if (threw && ends > 0) faults.push('the turn threw after its `turn-end`')
  return [...faults, ...partFaults(events, threw)]
}

const opening = { 'text-start': 'text', 'reasoning-start': 'reasoning', 'tool-call-start': 'tool-call' } as const
const going = { 'text-delta': 'text', 'reasoning-delta': 'reasoning', 'tool-call-delta': 'tool-call' } as const
const closing = { 'text-end': 'text', 'reasoning-end': 'reasoning', 'tool-call': 'tool-call' } as const

function partFaults(events: readonly TurnEvent[], threw: boolean): readonly string[] {
  const faults: string[] = []
  const open = new Map<number, string>()
  const kinds = new Map<number, string>()
  for (const event of events) {
    if (!('part' in event)) continue
    const { type, part } = event
    const now = open.get(part)
    if (type === 'citation' && (kinds.get(part) ?? 'text') !== 'text')
      faults.push(`'citation' for part ${part}, which is ${kinds.get(part)}`)
    if (type in opening) {
      kinds.set(part, opening[type as keyof typeof opening])
      if (now !== undefined) faults.push(`'${type}' opens part ${part}, which is ${now} already`)
      open.set(part, opening[type as keyof typeof opening])
    } else if (type in going && now !== going[type as keyof typeof going]) {
      faults.push(`'${type}' for part ${part}, which is ${now ?? 'not open'}`)
    } else if (type in closing) {
      if (now !== closing[type as keyof typeof closing])
        faults.push(`'${type}' closes part ${part}, which is ${now ?? 'not open'}`)
      open.set(part, 'closed')
    }
  }
  const left = [...open].filter(([, state]) => !threw && state !== 'closed')
  return [...faults, ...left.map(([part, state]) => `part ${part} (${state}) is never closed`)]
}

/** What a turn's events are compared with. */
export interface WordFaultsOptions {
  readonly provider: string
  /** The history that was sent: results may be of its calls. `undefined`: whose results may come is not known. */
  readonly messages?: readonly Message[] | undefined
}

/**
 * What single events lack of what the contract says: calls with id, name and owner, results that name their call, known finish reasons,
 * whole warnings, each file once, and whose their metadata is. Types say so at compile time, to those who compile; what an adapter makes
 * of a response they do not see.
 */
export function wordFaults(events: readonly TurnEvent[], { provider, messages }: WordFaultsOptions): readonly string[] {
  const before = (messages ?? []).flatMap(({ role, content }) => (role === 'assistant' ? content : []))
  const reported: Reported = {
    calls: new Map(before.flatMap((part) => (part.type === 'tool-call' ? [[part.toolCallId, part.toolName]] : []))),
    begun: new Map(),
    files: new Set(),
    isWhole: messages !== undefined,
  }
  return events.flatMap((event) =>
    [...faultsOf(event, reported), ...partNumberFaults(event), ...originFaults(event, provider)].map(
      (message) => `'${event.type}' ${message}`,
    ),
  )
}

function partNumberFaults(event: TurnEvent): readonly string[] {
  return event.type === 'turn-start' || event.type === 'turn-end' ? [] : wholeNumber('part', event.part ?? null)
}
/** What the events before an event told. */
interface Reported {
  /** Names by id. */
  readonly calls: Map<string, string>
  /** Beginnings of calls by their part. */
  readonly begun: Map<number, Extract<TurnEvent, { type: 'tool-call-start' }>>
  readonly files: Set<string>
  /** All calls that a result may be of are known. */
  readonly isWhole: boolean
}

function faultsOf(event: TurnEvent, reported: Reported): readonly string[] {
  switch (event.type) {
    case 'turn-start':
      return warningFaults(event.warnings)
    case 'tool-call-start':
      reported.calls.set(event.toolCallId, event.toolName)
      reported.begun.set(event.part, event)
      return [
        ...oneOf('owner', event.owner, owners),
        ...filled('toolCallId', event.toolCallId),
        ...filled('toolName', event.toolName),
      ]
    case 'tool-call': {
      const { toolCallId, toolName, owner } = reported.begun.get(event.part) ?? event
      return [
        ...oneOf('owner', event.owner, [owner]),
        ...oneOf('toolCallId', event.toolCallId, [toolCallId]),
        ...oneOf('toolName', event.toolName, [toolName]),
        ...text('inputText', event.inputText),
        ...inputFaults(event),
      ]
    }
    case 'tool-call-delta':
      return [...namesCall(event, reported), ...filled('inputText', event.inputText)]
    case 'tool-result':
      return [...namesCall(event, reported), ...oneOf('output.type', event.output.type, outputs)]
    case 'text-delta':
    case 'reasoning-delta':
      return filled('text', event.text)
    // An empty one may bring what goes back with the refusal.
    case 'refusal-delta':
      return text('text', event.text)
    case 'file': {
      const content = event.data ?? event.url ?? ''
      const again = reported.files.has(content)
      reported.files.add(content)
      return [...filled('mediaType', event.mediaType), ...filled('data', content), ...(again ? ['is told twice'] : [])]
    }
    case 'turn-end':
      return [
        ...oneOf('finishReason', event.finishReason, finishReasons),
        ...(event.rawFinishReason === undefined ? [] : filled('rawFinishReason', event.rawFinishReason)),
        ...Object.entries(event.usage ?? {}).flatMap(([name, count]) => wholeNumber(`usage.${name}`, count)),
        ...warningFaults(event.warnings),
      ]
    case 'opaque':
      return isObject(event.providerMetadata) ? [] : ['has no `providerMetadata`']
    case 'citation':
    case 'reasoning-end':
    case 'reasoning-start':
    case 'text-end':
    case 'text-start':
      return []
    default:
      return [`is none of the contract's events: ${shown(event satisfies never)}`]
  }
}

/** Arguments are an object, or it is said why they are not. */
function inputFaults(event: Extract<TurnEvent, { type: 'tool-call' }>): readonly string[] {
  if (!('input' in event)) return ['has no `input`']
  const { input, invalid } = event
  if (invalid !== undefined) return oneOf('invalid', invalid, ['unparsable', 'truncated'])
  return isObject(input) ? [] : [`has the \`input\` ${shown(input)}, which is no object, and is not \`invalid\``]
}

/** What goes back to a provider has to say whose it is. */
function originFaults(event: TurnEvent, provider: string): readonly string[] {
  if (!('providerMetadata' in event) || event.providerMetadata === undefined) return []
  const { providerMetadata } = event
  return [
    ...oneOf('providerMetadata.provider', providerMetadata.provider, [provider]),
    ...filled('providerMetadata.model', providerMetadata.model),
  ]
}

function namesCall(
  { toolCallId, ...event }: Extract<TurnEvent, { type: 'tool-call-delta' | 'tool-result' }>,
  { calls, isWhole }: Reported,
): readonly string[] {
  const name = calls.get(toolCallId)
  if (name === undefined && event.type === 'tool-result' && !isWhole)
    return [...filled('toolCallId', toolCallId), ...filled('toolName', event.toolName)]
  if (name === undefined) return [`names the call ${JSON.stringify(toolCallId)}, which was not told of`]
  if (event.type === 'tool-call-delta' || event.toolName === name) return []
  return [`is of the tool ${JSON.stringify(event.toolName)}, and its call of '${name}'`]
}

/** Faults of what an adapter warns of. */
export function warningFaults(warnings: readonly Warning[] = []): readonly string[] {
  return warnings.flatMap(({ type, path, message }) => [
    ...oneOf('warning.type', type, warningTypes),
    ...filled('warning.path', path),
    ...filled('warning.message', /\bundefined\b|\[object Object\]/.test(message) ? undefined : message),
  ])
}

function oneOf(name: string, value: unknown, known: readonly string[]): readonly string[] {
  return known.includes(String(value))
    ? []
    : [`has the \`${name}\` ${shown(value)}, which is none of ${known.join(', ')}`]
}

function text(name: string, value: unknown): readonly string[] {
  return typeof value === 'string' ? [] : [`has the \`${name}\` ${shown(value)}, which is no text`]
}

function filled(name: string, value: unknown): readonly string[] {
  return typeof value === 'string' && value !== '' ? [] : [`has the \`${name}\` ${shown(value)}, which says nothing`]
}

function wholeNumber(name: string, value: unknown): readonly string[] {
  const isCount = value === undefined || (Number.isInteger(value) && Number(value) >= 0)
  return isCount ? [] : [`has the \`${name}\` ${shown(value)}, which is no count`]
}

function shown(value: unknown): string {
  return JSON.stringify(value)
}
