import type { LanguageModelV4Content, LanguageModelV4GenerateResult, LanguageModelV4StreamPart } from '@ai-sdk/provider'
import type { Origin, TurnEvent, Warning } from '@steploop/core/adapter'
import { createStreamEncoder } from './stream-encoder.ts'

type Finish = Extract<LanguageModelV4StreamPart, { type: 'finish' }>
type Block = Extract<LanguageModelV4Content, { type: 'text' | 'reasoning' }>

/** The result of `doGenerate`: the parts of a stream, joined, so that both modes have one mapping. */
export async function resultOf(
  origin: Origin,
  events: AsyncIterable<readonly TurnEvent[]>,
  early: readonly Warning[],
): Promise<LanguageModelV4GenerateResult> {
  const encoder = createStreamEncoder(origin, early)
  const parts: LanguageModelV4StreamPart[] = []
  for await (const batch of events) encoder.push(batch, parts)
  const finish = parts.find((part): part is Finish => part.type === 'finish')
  if (finish === undefined) throw new Error('The adapter breaks its contract: its turn ended without `turn-end`.')
  const { type: _, ...rest } = finish
  return {
    ...rest,
    content: contentOf(parts),
    warnings: parts.flatMap((part) => (part.type === 'stream-start' ? part.warnings : [])),
    response: responseOf(parts),
  }
}

function responseOf(
  parts: readonly LanguageModelV4StreamPart[],
): NonNullable<LanguageModelV4GenerateResult['response']> {
  const response = {}
  for (const part of parts) {
    if (part.type !== 'response-metadata') continue
    const { type: _, ...metadata } = part
    Object.assign(response, metadata)
  }
  return response
}

function contentOf(parts: readonly LanguageModelV4StreamPart[]): LanguageModelV4Content[] {
  const content: LanguageModelV4Content[] = []
  const open = new Map<string, Block>()
  for (const part of parts) {
    switch (part.type) {
      case 'text-start':
      case 'reasoning-start': {
        const block: Block = { type: part.type === 'text-start' ? 'text' : 'reasoning', text: '' }
        open.set(part.id, block)
        content.push(block)
        break
      }
      case 'text-delta':
      case 'reasoning-delta':
      case 'text-end':
      case 'reasoning-end':
        extend(open.get(part.id), part)
        break
      case 'tool-call':
      case 'tool-result':
      case 'custom':
      case 'file':
      case 'source':
        content.push(part)
        break
      case 'error':
      case 'finish':
      case 'ping':
      case 'raw':
      case 'reasoning-file':
      case 'response-metadata':
      case 'stream-start':
      case 'tool-approval-request':
      case 'tool-input-delta':
      case 'tool-input-end':
      case 'tool-input-start':
        break
    }
  }
  return content
}

type BlockPart = Extract<LanguageModelV4StreamPart, { type: `${'text' | 'reasoning'}-${'delta' | 'end'}` }>

function extend(block: Block | undefined, part: BlockPart): void {
  if (block === undefined) return
  if (part.type === 'text-delta' || part.type === 'reasoning-delta') {
    block.text += part.delta
    return
  }
  if (part.providerMetadata !== undefined) block.providerMetadata = part.providerMetadata
  if (part.type === 'text-end' && part.citations !== undefined && block.type === 'text')
    block.citations = part.citations
}
