import type { TurnEvent, TurnRequest } from '../contract/adapter.ts'
import { createPartialJson } from '../wire/partial-json.ts'
import type { LoopEvent } from '../contract/loop-events.ts'
import type { StructuredState } from './structured.ts'

/** The structured answer of one turn while it grows: what a batch adds to it is one event, or none. */
export type PartialOutput = (batch: readonly TurnEvent[]) => readonly Extract<LoopEvent, { type: 'partial-output' }>[]

/** `undefined` where it was not asked for. Asked for as JSON, the text is the object; else the input of the hidden call. */
export function partialOutput(
  { options, hiddenCalls }: StructuredState,
  { responseFormat }: TurnRequest,
): PartialOutput | undefined {
  if (options.partial !== true) return undefined
  const json = createPartialJson()
  const pieceOf = (event: TurnEvent): string => {
    if (event.type === 'text-delta') return responseFormat === undefined ? '' : event.text
    return event.type === 'tool-call-delta' && hiddenCalls.has(event.toolCallId) ? event.inputText : ''
  }
  return (batch) => {
    const piece = batch.map(pieceOf).join('')
    if (piece === '') return []
    json.push(piece)
    const output = json.value()
    return output === undefined ? [] : [{ type: 'partial-output', output }]
  }
}
