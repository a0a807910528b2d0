import { arrayOf, isObject, numberOf, objectOf, textOf, type JsonObject } from '@steploop/core/adapter'
import { memberText } from '../../json.ts'
import { createPartList, type PartList } from '../read/part-list.ts'
import { lastObject, lastText } from '../read/payload.ts'
import type { ResponseUsage, ResponseView } from '../read/response-view.ts'

/** Converse: a message with its blocks, or events, each named by its only member (`{ contentBlockDelta: { ... } }`). */
export function readResponse(payloads: readonly JsonObject[]): ResponseView {
  const list = createPartList()
  for (const { output, contentBlockStart, contentBlockDelta } of payloads) {
    const content = arrayOf(objectOf(objectOf(output)['message'])['content'])
    for (const [index, block] of content.entries()) readBlock(objectOf(block), String(index), list)
    const start = objectOf(contentBlockStart)
    readStart(objectOf(start['start']), String(start['contentBlockIndex']), list)
    const piece = objectOf(contentBlockDelta)
    readPiece(objectOf(piece['delta']), String(piece['contentBlockIndex']), list)
  }
  const stop = lastObject(payloads, 'messageStop') ?? {}
  const metadata = lastObject(payloads, 'metadata') ?? {}
  return {
    id: undefined,
    model: undefined,
    parts: list.parts(),
    finish: textOf(stop['stopReason']) ?? lastText(payloads, 'stopReason'),
    usage: usageOf(metadata['usage'] ?? lastObject(payloads, 'usage')),
    error: lastText(payloads, 'message') ?? lastText(payloads, 'Message') ?? exceptionOf(payloads),
  }
}

function exceptionOf(payloads: readonly JsonObject[]): string | undefined {
  const [name, said] =
    payloads.flatMap((payload) => Object.entries(payload)).find(([key]) => key.endsWith('Exception')) ?? []
  return name === undefined ? undefined : (textOf(objectOf(said)['message']) ?? name)
}

/** Blocks of text and thoughts have no start. */
function readStart({ toolUse, toolResult }: JsonObject, index: string, list: PartList): void {
  if (isObject(toolUse)) list.call(index, { id: textOf(toolUse['toolUseId']), toolName: textOf(toolUse['name']) })
  if (isObject(toolResult)) list.other('toolResult', index)
}

function readPiece({ text, toolUse, reasoningContent }: JsonObject, index: string, list: PartList): void {
  list.append('text', index, textOf(text) ?? '')
  list.append('reasoning', index, memberText(objectOf(reasoningContent), 'text'))
  if (isObject(toolUse)) list.call(index, { inputText: memberText(toolUse, 'input') })
}

function readBlock(block: JsonObject, index: string, list: PartList): void {
  const { text, toolUse, reasoningContent, citationsContent } = block
  if (typeof text === 'string') list.append('text', index, text)
  else if (isObject(toolUse)) {
    list.call(index, {
      id: textOf(toolUse['toolUseId']),
      toolName: textOf(toolUse['name']),
      input: toolUse['input'],
    })
  } else if (isObject(reasoningContent)) {
    list.append('reasoning', index, memberText(objectOf(reasoningContent['reasoningText']), 'text'))
  } else if (isObject(citationsContent)) {
    for (const piece of arrayOf(citationsContent['content']))
      list.append('text', index, memberText(objectOf(piece), 'text'))
  } else list.other(Object.keys(block).join(' '), index)
}

/** Cached tokens are counted apart from `inputTokens`. */
function usageOf(usage: unknown): ResponseUsage | undefined {
  if (!isObject(usage)) return undefined
  const [fresh, output] = [numberOf(usage['inputTokens']), numberOf(usage['outputTokens'])]
  if (fresh === undefined && output === undefined) return undefined
  const cached = numberOf(usage['cacheReadInputTokens'])
  const input =
    fresh === undefined ? undefined : fresh + (cached ?? 0) + (numberOf(usage['cacheWriteInputTokens']) ?? 0)
  return { input, output, cached }
}
