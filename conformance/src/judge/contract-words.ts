import type { TurnEvent, Warning } from '@steploop/core/adapter'
import type { Check } from '../check.ts'

const finishReasons = ['stop', 'tool-calls', 'length', 'content-filter', 'pause', 'error', 'unknown']
const warningTypes = ['dropped', 'coerced', 'unsupported', 'repaired', 'unproven-end']
const owners = ['client', 'provider']
const outputs = ['text', 'json', 'error', 'content']

/** Types say so at compile time, to those who compile; what an adapter makes of a response they do not see. */
export const contractWords: Check = {
  id: 'contract-words',
  sentence:
    'Events hold what the contract says: calls with id, name and owner, results that name their call, known finish reasons, whole warnings, each file once, and whose their metadata is.',
  judge: ({ runs, subject }) =>
    runs.flatMap(({ number, turns }) =>
      turns.flatMap(({ events, request }, index) => {
        const before = request.messages.flatMap(({ role, content }) => (role === 'assistant' ? content : []))
        const known = before.flatMap((part) => (part.type === 'tool-call' ? [part] : []))
        const reported: Reported = {
          calls: new Map(known.map((call) => [call.toolCallId, call.toolName])),
          files: new Set(),
        }
        return events.flatMap((event) =>
          [...faultsOf(event, reported), ...originFaults(event, subject.provider)].map((message) => ({
            message: `'${event.type}' ${message}`,
            where: `run ${number}, turn ${index + 1}`,
          })),
        )
      }),
    ),
}

/** What the events before an event told. */
interface Reported {
  /** Names by id. */
  readonly calls: Map<string, string>
  readonly files: Set<string>
}

function faultsOf(event: TurnEvent, reported: Reported): readonly string[] {
  switch (event.type) {
    case 'turn-start':
      return warningFaults(event.warnings)
    case 'tool-call-start':
    case 'tool-call':
      reported.calls.set(event.toolCallId, event.toolName)
      return [
        ...oneOf('owner', event.owner, owners),
        ...filled('toolCallId', event.toolCallId),
        ...filled('toolName', event.toolName),
        ...(event.type === 'tool-call' ? text('inputText', event.inputText) : []),
      ]
    case 'tool-call-delta':
      return [...namesCall(event, reported), ...text('inputText', event.inputText)]
    case 'tool-result':
      return [...namesCall(event, reported), ...oneOf('output.type', event.output.type, outputs)]
    case 'text-delta':
    case 'reasoning-delta':
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
    case 'citation':
    case 'opaque':
    case 'reasoning-end':
    case 'reasoning-start':
    case 'text-end':
    case 'text-start':
    default:
      return []
  }
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
  { calls }: Reported,
): readonly string[] {
  const name = calls.get(toolCallId)
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
  return JSON.stringify(value) ?? 'undefined'
}
