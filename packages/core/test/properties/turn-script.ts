import type { FinishReason, TurnEvent } from '../../src/contract/adapter.ts'
import type { ProviderMetadata } from '../../src/contract/messages.ts'
import { parseToolInput } from '../../src/wire/tool-input.ts'
import type { CallDraw, PartDraw, TurnDraw } from './draw.ts'

/** Who plays a turn, and the how-manieth request it answers. */
export interface TurnScope {
  readonly provider: string
  readonly model: string
  readonly attempt: number
}

/** The events of a turn without `turn-start` and `turn-end`, in the batches in which they arrive. */
export function batchesOf(turn: TurnDraw, scope: TurnScope): readonly (readonly TurnEvent[])[] {
  let slot = 0
  const parts = turn.parts.map((part) => {
    const events = partEvents(part, slot, scope)
    slot += part.type === 'search' ? 2 : 1
    return events
  })
  if (turn.batches === 'whole') return [turn.interleaved ? dealt(parts) : parts.flat()]
  if (turn.interleaved) return dealt(parts).map((event) => [event])
  return turn.batches === 'parts' ? parts : parts.flat().map((event) => [event])
}

/** One event of each part in turn. */
function dealt(parts: readonly (readonly TurnEvent[])[]): readonly TurnEvent[] {
  const longest = Math.max(0, ...parts.map((part) => part.length))
  return Array.from({ length: longest }, (_, index) => parts.flatMap((part) => part.slice(index, index + 1))).flat()
}

export function finishOf(turn: TurnDraw): FinishReason {
  if (turn.finish !== 'honest') return turn.finish
  return turn.parts.some((part) => part.type === 'call') ? 'tool-calls' : 'stop'
}

export function responseIdOf({ responseId }: TurnDraw, { provider, attempt }: TurnScope): string | undefined {
  return responseId ? `${provider}-response-${attempt}` : undefined
}

/** The payloads of a turn, in the order of its parts. */
export function payloadsOf(turn: TurnDraw, scope: TurnScope): readonly ProviderMetadata[] {
  let slot = -1
  return turn.parts.flatMap((part) => {
    slot += 1
    if (part.type === 'search') slot += 1
    return isSigned(part) ? [payload(scope, slot)] : []
  })
}

function isSigned(part: PartDraw): boolean {
  return part.type === 'opaque' || ('signed' in part && part.signed)
}

function payload({ provider, model, attempt }: TurnScope, slot: number): ProviderMetadata {
  return { provider, model, data: { signature: `${attempt}.${slot}`, nested: [null, { deep: 'ä' }] } }
}

function partEvents(part: PartDraw, slot: number, scope: TurnScope): readonly TurnEvent[] {
  switch (part.type) {
    case 'text':
    case 'reasoning': {
      const { type, text, signed } = part
      const wire = signed && { providerMetadata: payload(scope, slot) }
      return [
        { type: `${type}-start`, part: slot },
        { type: `${type}-delta`, part: slot, text },
        { type: `${type}-end`, part: slot, ...wire },
      ]
    }
    case 'opaque':
      return [{ type: 'opaque', part: slot, providerMetadata: payload(scope, slot) }]
    case 'search':
      return searchEvents(slot, scope)
    case 'call':
      return callEvents(part, slot, scope)
    default:
      return part satisfies never
  }
}

function searchEvents(slot: number, { attempt }: TurnScope): readonly TurnEvent[] {
  const toolCallId = `s${attempt}_${slot}`
  const call = { toolCallId, toolName: 'search' }
  return [
    { type: 'tool-call', part: slot, ...call, input: {}, inputText: '{}', owner: 'provider' },
    { type: 'tool-result', part: slot + 1, ...call, output: { type: 'text', value: 'found' } },
  ]
}

const inputTexts = { unparsable: '{"key":', truncated: '{"key":', open: '{"ke', misfit: '{"key":"none"}' } as const

function inputTextOf({ shape, key }: CallDraw): string {
  return shape === 'whole' ? JSON.stringify({ key }) : inputTexts[shape]
}

function ownIdOf({ sameId }: CallDraw, slot: number, attempt: number): string {
  return sameId ? 'same' : `c${attempt}_${slot}`
}

function callEvents(call: CallDraw, slot: number, { attempt }: TurnScope): readonly TurnEvent[] {
  const common = { part: slot, toolCallId: ownIdOf(call, slot, attempt) }
  const named = { ...common, toolName: call.tool, owner: 'client' } as const
  const inputText = inputTextOf(call)
  const parsed = parseToolInput(inputText, call.shape === 'truncated')
  const begun: readonly TurnEvent[] = [
    { type: 'tool-call-start', ...named },
    { type: 'tool-call-delta', ...common, inputText },
  ]
  return call.shape === 'open' ? begun : [...begun, { type: 'tool-call', ...named, ...parsed, inputText }]
}
