import type { ScriptedAnswer, ScriptedCitation, ScriptedPart, ScriptedUsage } from '../../script.ts'

export type ScriptedCall = Extract<ScriptedPart, { type: 'call' }>

export type ScriptedProviderCall = Extract<ScriptedPart, { type: 'provider-call' }>

export interface FullUsage {
  /** With cached tokens. */
  readonly inputTokens: number
  /** With reasoning tokens. */
  readonly outputTokens: number
  readonly cachedInputTokens: number
  readonly cacheWriteTokens: number
  readonly reasoningTokens: number
}

/** Seconds since 1970: the clock of every simulator, 2026-01-01T00:00:00Z. One minute passes per turn. */
const epochSeconds = 1_767_225_600

export function turnSeconds(turn: number): number {
  return epochSeconds + turn * 60
}

/** The script's usage, or numbers that depend on the turn and on whether there is reasoning. */
export function usageOf(answer: ScriptedAnswer, turn: number, showsReasoning: boolean): FullUsage {
  const fallback: ScriptedUsage = {
    inputTokens: 80 + 40 * turn,
    outputTokens: 20 + 7 * turn,
    reasoningTokens: showsReasoning ? 11 : 0,
  }
  const usage = answer.usage ?? fallback
  return {
    inputTokens: usage.inputTokens,
    outputTokens: usage.outputTokens,
    cachedInputTokens: usage.cachedInputTokens ?? 0,
    cacheWriteTokens: usage.cacheWriteTokens ?? 0,
    reasoningTokens: usage.reasoningTokens ?? 0,
  }
}

/** Arguments as JSON text, the way models write them. */
export function argumentsText(call: ScriptedCall): string {
  return call.inputText ?? JSON.stringify(call.input)
}

export function callsOf(answer: ScriptedAnswer): readonly ScriptedCall[] {
  return answer.parts.filter((part) => part.type === 'call')
}

/** What a provider says that has learnt a new word for an end. */
export const unheardOf = 'something_new'

/** All parts of one kind that have a text to read, joined; `undefined` when there is none. */
export function joinedText(answer: ScriptedAnswer, type: 'text' | 'reasoning' | 'refusal'): string | undefined {
  const texts = answer.parts.flatMap((part) =>
    part.type === type && !('sealed' in part && part.sealed) ? [part.text] : [],
  )
  return texts.length === 0 ? undefined : texts.join('')
}

/** A citation with the location of what it supports, counted in UTF-16 units from the beginning of the text. */
export interface LocatedCitation extends ScriptedCitation {
  readonly start: number
  readonly end: number
}

export function locatedCitations({ text, citations = [] }: ScriptedText): readonly LocatedCitation[] {
  return citations.map((citation) => {
    const start = text.indexOf(citation.supports)
    return { ...citation, start, end: start + citation.supports.length }
  })
}

type ScriptedText = Extract<ScriptedPart, { type: 'text' }>

/** The citations of all texts, placed in the text that they make together. */
export function joinedCitations(answer: ScriptedAnswer): readonly LocatedCitation[] {
  let before = 0
  return answer.parts.flatMap((part) => {
    if (part.type !== 'text') return []
    const offset = before
    before += part.text.length
    return locatedCitations(part).map((citation) => ({
      ...citation,
      start: citation.start + offset,
      end: citation.end + offset,
    }))
  })
}
