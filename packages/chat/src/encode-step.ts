import type { Citation, LoopEvent } from '@steploop/core'
import type { UiMessageChunk } from './chunks.ts'
import { refusalOf, sourcesOf, type UiPartOptions } from './ui-parts.ts'
import type { ErrorText } from './ui-texts.ts'

export type Chunks = readonly UiMessageChunk[]
export type EventOf<Type extends LoopEvent['type']> = Extract<LoopEvent, { type: Type }>

/** What the page knows by now. */
export interface EncoderState {
  readonly options: UiPartOptions
  readonly errorText: ErrorText
  /** Calls of this message, with what is shown of each: a page breaks at what it is told of any other. */
  readonly calls: Map<string, { readonly input: unknown; readonly step: number }>
  step: OpenStep
}

interface OpenStep {
  readonly number: number
  /** The page was told of it. A step with nothing to show is none. */
  isBegun: boolean
  /** Text and reasoning that go on, by id. */
  readonly texts: Map<string, 'text' | 'reasoning'>
  /** By slot. */
  readonly refusals: Map<number, string>
  readonly citations: Citation[]
  /** Calls whose arguments are not complete. */
  readonly calls: Set<string>
}

export function openStep(number: number): OpenStep {
  return { number, isBegun: false, texts: new Map(), refusals: new Map(), citations: [], calls: new Set() }
}

export function inStep({ step }: EncoderState, ...chunks: Chunks): Chunks {
  if (step.isBegun) return chunks
  step.isBegun = true
  return [{ type: 'start-step' }, ...chunks]
}

export function startText(state: EncoderState, type: 'text' | 'reasoning', part: number): Chunks {
  const id = `${state.step.number}.${part}`
  if (state.step.texts.has(id)) return []
  state.step.texts.set(id, type)
  return inStep(state, { type: `${type}-start`, id })
}

export function addText(
  state: EncoderState,
  type: 'text' | 'reasoning',
  { part, text }: { readonly part: number; readonly text: string },
): Chunks {
  const delta = { type: `${type}-delta`, id: `${state.step.number}.${part}`, delta: text } as const
  return state.step.texts.has(delta.id) ? [delta] : [...startText(state, type, part), delta]
}

export function endText({ step }: EncoderState, part: number): Chunks {
  const id = `${step.number}.${part}`
  const type = step.texts.get(id)
  step.texts.delete(id)
  return type === undefined ? [] : [{ type: `${type}-end`, id }]
}

export function endTexts({ step }: EncoderState): Chunks {
  const ends = [...step.texts].map(([id, type]) => ({ type: `${type}-end`, id }) as const)
  step.texts.clear()
  return ends
}

/** Sources come when the step is over: a stored message does not say in which moment a provider named them. */
export function stepEnd(state: EncoderState): Chunks {
  const { refusals, citations, number } = state.step
  const rest: Chunks = [...endTexts(state), ...[...refusals.values()].map(refusalOf), ...sourcesOf(citations, number)]
  const { isBegun } = state.step
  const chunks = isBegun || rest.length > 0 ? [...inStep(state, ...rest), { type: 'finish-step' } as const] : []
  // A hook may still answer in the model's place, which is a message of its own.
  state.step = openStep(number)
  return chunks
}

/** The page forgets the parts of the step, not that it has begun. */
export function stepRetry(state: EncoderState, { attempt, delayMs, error }: EventOf<'step-retry'>): Chunks {
  const { isBegun, number } = state.step
  for (const [id, { step }] of state.calls) if (step === number) state.calls.delete(id)
  state.step = { ...openStep(number), isBegun }
  const data = { attempt, delayMs, code: error.code, message: state.errorText(error) }
  const retry: UiMessageChunk = { type: 'data-retry', transient: true, data }
  return isBegun ? [{ type: 'reset-step' }, retry] : [retry]
}
