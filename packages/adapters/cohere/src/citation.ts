import { arrayOf, isObject, numberOf, objectOf, textOf, type Citation, type JsonObject } from '@steploop/core/adapter'

/** A block of text of the answer. */
export interface TextBlock {
  /** Index of the block in the answer's content. */
  readonly index: number
  readonly part: number
  text: string
}

export interface LocatedCitation {
  readonly part: number
  readonly citation: Citation
}

/**
 * The citations of an answer, one per passage and source. Those of thoughts and plans have no text that they could stand beside. Older
 * models do not say which block they mean: they give one.
 */
export function citationsOf(
  citations: readonly JsonObject[],
  blocks: readonly TextBlock[],
): readonly LocatedCitation[] {
  return citations.flatMap((raw) => {
    if ((raw['type'] ?? 'TEXT_CONTENT') !== 'TEXT_CONTENT') return []
    const index = numberOf(raw['content_index'])
    const block = blocks.find((one) => one.index === index) ?? blocks[0]
    if (block === undefined) return []
    const range = rangeIn(block.text, raw)
    return arrayOf(raw['sources']).map((source) => ({
      part: block.part,
      citation: { ...sourceOf(objectOf(source)), ...range },
    }))
  })
}

/** The passage itself tells whether positions count UTF-16 units or characters; where it does not fit, they are left out. */
function rangeIn(text: string, raw: JsonObject): Pick<Citation, 'startIndex' | 'endIndex'> {
  const startIndex = numberOf(raw['start'])
  const endIndex = numberOf(raw['end'])
  const passage = textOf(raw['text'])
  if (startIndex === undefined || endIndex === undefined) return {}
  if (passage === undefined || text.slice(startIndex, endIndex) === passage) return { startIndex, endIndex }
  const characters = Array.from(text)
  const start = characters.slice(0, startIndex).join('').length
  return text.startsWith(passage, start) ? { startIndex: start, endIndex: start + passage.length } : {}
}

/** A document of the request, or the result of a call; what is in them is the caller's, so only the usual names are known. */
function sourceOf({ id, document, tool_output: output }: JsonObject): Citation {
  const data = objectOf(isObject(document) ? document : output)
  const url = textOf(data['url'])
  const title = textOf(data['title']) ?? textOf(id)
  const citedText = textOf(data['text']) ?? textOf(data['snippet']) ?? textOf(data['content'])
  return {
    ...(url === undefined && { kind: 'file' as const }),
    ...(url !== undefined && { url }),
    ...(title !== undefined && { title }),
    ...(citedText !== undefined && { citedText }),
  }
}
