import {
  arrayOf,
  objectOf,
  textOf,
  type Citation,
  type JsonObject,
  type Origin,
  type TurnEvent,
} from '@steploop/core/adapter'
import { citationOf, sourceOf } from './decode-citation.ts'
import { payload } from './payload.ts'

export interface BlockDecoder {
  /** True when the part was one of text, reasoning or sources. */
  push(part: JsonObject, out: TurnEvent[]): boolean
  /** Closes what was left open, and gives the sources of an answer without citations. */
  end(out: TurnEvent[]): void
}

export interface BlockDecoderOptions {
  readonly origin: Origin
  readonly nextPart: () => number
  /** Whether the sources of an answer without citations stand for them. */
  readonly sourcesAreCited: boolean
}

type Kind = 'text' | 'reasoning'

interface Block {
  readonly kind: Kind
  /** Taken when the block began, so that it keeps its position. */
  readonly part: number
  announced: boolean
  /** The last that was given, as in `ai`: a signature may come with the start, a delta or the end. */
  metadata: unknown
}

interface State {
  readonly origin: Origin
  readonly nextPart: () => number
  readonly open: Map<string, Block>
  /** What the answer was made from, cited or not. */
  readonly sources: Citation[]
  cited: boolean
  lastText: number | undefined
}

/** Text and reasoning. A block without text and metadata leaves no part. */
export function createBlockDecoder({ origin, nextPart, sourcesAreCited }: BlockDecoderOptions): BlockDecoder {
  const state: State = { origin, nextPart, open: new Map(), sources: [], cited: false, lastText: undefined }
  return {
    push(part, out) {
      const type = textOf(part['type']) ?? ''
      const step = steps[type]
      if (step !== undefined) pushBlock(state, step, part, out)
      else if (type === 'source') state.sources.push(sourceOf(part))
      return step !== undefined || type === 'source'
    },
    end(out) {
      for (const block of state.open.values()) close(state, block, out)
      state.open.clear()
      // Where the model tells citations, its sources are what was retrieved, not what was cited.
      if (state.cited || !sourcesAreCited || state.lastText === undefined) return
      for (const citation of state.sources) out.push({ type: 'citation', part: state.lastText, citation })
    },
  }
}

interface Step {
  readonly kind: Kind
  readonly step: 'start' | 'delta' | 'end'
}

const steps: Readonly<Record<string, Step>> = {
  'text-start': { kind: 'text', step: 'start' },
  'text-delta': { kind: 'text', step: 'delta' },
  'text-end': { kind: 'text', step: 'end' },
  'reasoning-start': { kind: 'reasoning', step: 'start' },
  'reasoning-delta': { kind: 'reasoning', step: 'delta' },
  'reasoning-end': { kind: 'reasoning', step: 'end' },
}

function pushBlock(state: State, { kind, step }: Step, part: JsonObject, out: TurnEvent[]): void {
  const key = `${kind} ${textOf(part['id']) ?? ''}`
  const block = find(state, kind, key)
  block.metadata = part['providerMetadata'] ?? block.metadata
  const text = step === 'delta' ? textOf(part['delta']) : undefined
  if (text !== undefined) {
    announce(state, block, out)
    out.push({ type: `${kind}-delta`, part: block.part, text })
  }
  if (step !== 'end') return
  cite(state, block, part['citations'], out)
  close(state, block, out)
  // The same id may name another block later.
  state.open.delete(key)
}

function find(state: State, kind: Kind, key: string): Block {
  const known = state.open.get(key)
  if (known !== undefined) return known
  const block: Block = { kind, part: state.nextPart(), announced: false, metadata: undefined }
  state.open.set(key, block)
  return block
}

function announce(state: State, block: Block, out: TurnEvent[]): void {
  if (block.announced) return
  block.announced = true
  if (block.kind === 'text') state.lastText = block.part
  out.push({ type: `${block.kind}-start`, part: block.part })
}

function cite(state: State, block: Block, citations: unknown, out: TurnEvent[]): void {
  for (const item of arrayOf(citations)) {
    state.cited = true
    announce(state, block, out)
    out.push({ type: 'citation', part: block.part, citation: citationOf(objectOf(item)) })
  }
}

function close(state: State, block: Block, out: TurnEvent[]): void {
  if (block.metadata !== undefined) announce(state, block, out)
  if (!block.announced) return
  const wire = payload(state.origin, { providerMetadata: block.metadata })
  out.push({ type: `${block.kind}-end`, part: block.part, ...wire })
}
