import type { Citation, LoopEvent } from '@steploop/core'
import type { UiMessageChunk } from './chunks.ts'
import { refusalOf, sourcesOf, type UiPartOptions } from './ui-parts.ts'
import type { ErrorText } from './ui-texts.ts'

export type Chunks = readonly UiMessageChunk[]
export type EventOf<Type extends LoopEvent['type']> = Extract<LoopEvent, { type: Type }>

/** What the page knows by now. */
export interface Told {
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

export function inStep({ step }: Told, ...chunks: Chunks): Chunks {
  if (step.isBegun) return chunks
  step.isBegun = true
  return [{ type: 'start-step' }, ...chunks]
}

export function startText(told: Told, type: 'text' | 'reasoning', part: number): Chunks {
  const id = `${told.step.number}.${part}`
  if (told.step.texts.has(id)) return []
  told.step.texts.set(id, type)
  return inStep(told, { type: `${type}-start`, id })
}

export function addText(
  told: Told,
  type: 'text' | 'reasoning',
  { part, text }: { readonly part: number; readonly text: string },
): Chunks {
  const delta = { type: `${type}-delta`, id: `${told.step.number}.${part}`, delta: text } as const
  return told.step.texts.has(delta.id) ? [delta] : [...startText(told, type, part), delta]
}

export function endText({ step }: Told, part: number): Chunks {
  const id = `${step.number}.${part}`
  const type = step.texts.get(id)
  step.texts.delete(id)
  return type === undefined ? [] : [{ type: `${type}-end`, id }]
}

export function endTexts({ step }: Told): Chunks {
  const ends = [...step.texts].map(([id, type]) => ({ type: `${type}-end`, id }) as const)
  step.texts.clear()
  return ends
}

/** Sources come when the step is over: a stored message does not say in which moment a provider named them. */
export function stepEnd(told: Told): Chunks {
  const { refusals, citations, number } = told.step
  const rest: Chunks = [...endTexts(told), ...[...refusals.values()].map(refusalOf), ...sourcesOf(citations, number)]
  const { isBegun } = told.step
  const chunks = isBegun || rest.length > 0 ? [...inStep(told, ...rest), { type: 'finish-step' } as const] : []
  // A hook may still answer in the model's place, which is a message of its own.
  told.step = openStep(number)
  return chunks
}

/** The page forgets the parts of the step, not that it has begun. */
export function stepRetry(told: Told, { attempt, delayMs, error }: EventOf<'step-retry'>): Chunks {
  const { isBegun, number } = told.step
  for (const [id, { step }] of told.calls) if (step === number) told.calls.delete(id)
  told.step = { ...openStep(number), isBegun }
  const data = { attempt, delayMs, code: error.code, message: told.errorText(error) }
  const retry: UiMessageChunk = { type: 'data-retry', transient: true, data }
  return isBegun ? [{ type: 'reset-step' }, retry] : [retry]
}
