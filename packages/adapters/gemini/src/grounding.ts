import { arrayOf, isObject, numberOf, objectOf, textOf, type Citation, type JsonObject } from '@steploop/core/adapter'

/** A text part of the answer, as far as it came. */
export interface TextSlot {
  readonly part: number
  text: string
}

export interface LocatedCitation {
  /** `undefined`: the answer has no text. */
  readonly part: number | undefined
  readonly citation: Citation
}

/**
 * The citations of a grounded candidate: one per supported segment and source, and one for each source that supports no segment.
 * Offsets count bytes of UTF-8 in the text; those that do not lead to the segment's text are left out. `earlier`: grounding from chunks
 * before the last one, of which only sources count that come no more.
 */
export function citationsOf(
  candidate: JsonObject,
  slots: readonly TextSlot[],
  earlier: readonly JsonObject[] = [],
): readonly LocatedCitation[] {
  const answer = answerOf(slots)
  const citations = [...groundedIn(objectOf(candidate['groundingMetadata']), answer)]
  for (const grounding of earlier) {
    const named = new Set(citations.map(({ citation }) => citation.url ?? citation.title))
    const once = groundedIn(grounding, answer).filter(({ citation }) => !named.has(citation.url ?? citation.title))
    citations.push(...once)
  }
  return [...citations, ...recitations(candidate, answer)]
}

function groundedIn(grounding: JsonObject, answer: Answer): readonly LocatedCitation[] {
  const chunks = arrayOf(grounding['groundingChunks']).map((chunk) => sourceOf(objectOf(chunk)))
  const citations: LocatedCitation[] = []
  const supporting = new Set<unknown>()
  for (const support of arrayOf(grounding['groundingSupports']).map(objectOf)) {
    const location = locationOf(objectOf(support['segment']), answer)
    for (const index of arrayOf(support['groundingChunkIndices'])) {
      const source = typeof index === 'number' ? chunks[index] : undefined
      if (source === undefined) continue
      supporting.add(index)
      citations.push({ part: location.part, citation: { ...source, ...location.range } })
    }
  }
  const part = answer.slots.at(-1)?.part
  chunks.forEach((source, index) => {
    if (source !== undefined && !supporting.has(index)) citations.push({ part, citation: source })
  })
  return citations
}

/** Existing works that the text repeats: `citations` at Vertex AI, `citationSources` in the Gemini API (https://ai.google.dev/api). */
function recitations(candidate: JsonObject, answer: Answer): readonly LocatedCitation[] {
  const { citations, citationSources } = objectOf(candidate['citationMetadata'])
  return arrayOf(citations ?? citationSources).flatMap((item) => {
    const { uri, title, ...segment } = objectOf(item)
    const source = withUrl(textOf(uri), textOf(title))
    if (source === undefined) return []
    const { part, range } = locationOf(segment, answer)
    return [{ part, citation: { kind: 'work', ...source, ...range } }]
  })
}

function sourceOf(chunk: JsonObject): Citation | undefined {
  const { web, maps, image, retrievedContext } = chunk
  if (isObject(web)) return withUrl(textOf(web['uri']), textOf(web['title']))
  if (isObject(maps)) return withUrl(textOf(maps['uri']), textOf(maps['title']), 'place')
  if (isObject(image)) return withUrl(textOf(image['sourceUri']), textOf(image['title']), 'image')
  if (!isObject(retrievedContext)) return undefined
  const { uri, title, text } = retrievedContext
  // A retrieved file's own address may be a storage path that cannot be opened.
  const url = textOf(uri)?.startsWith('http') ? textOf(uri) : undefined
  const citedText = textOf(text)
  return { kind: 'file', ...withUrl(url, textOf(title)), ...(citedText !== undefined && { citedText }) }
}

function withUrl(url: string | undefined, title: string | undefined, kind?: Citation['kind']): Citation | undefined {
  if (url === undefined && title === undefined) return undefined
  return { ...(kind && { kind }), ...(url !== undefined && { url }), ...(title !== undefined && { title }) }
}

interface Answer {
  readonly slots: readonly TextSlot[]
  /** The text of all slots, and the same in UTF-8. */
  readonly text: string
  readonly bytes: Uint8Array
}

function answerOf(slots: readonly TextSlot[]): Answer {
  const text = slots.map((slot) => slot.text).join('')
  return { slots, text, bytes: new TextEncoder().encode(text) }
}

interface Location {
  readonly part: number | undefined
  readonly range?: { readonly startIndex: number; readonly endIndex: number } | undefined
}

/** The API counts in the whole text or in one of its parts; the segment's own text tells which. */
function locationOf(segment: JsonObject, { slots, text, bytes }: Answer): Location {
  const start = utf16Index(bytes, numberOf(segment['startIndex']) ?? 0)
  const end = utf16Index(bytes, numberOf(segment['endIndex']) ?? 0)
  const quoted = textOf(segment['text'])
  const isRight = quoted === undefined || text.slice(start, end) === quoted
  const from = isRight ? start : text.indexOf(quoted)
  const length = isRight ? end - start : quoted.length
  let offset = 0
  for (const slot of slots) {
    const startIndex = from - offset
    if (startIndex >= 0 && startIndex < slot.text.length && length > 0) {
      return { part: slot.part, range: { startIndex, endIndex: Math.min(startIndex + length, slot.text.length) } }
    }
    offset += slot.text.length
  }
  return { part: slots.at(-1)?.part }
}

function utf16Index(bytes: Uint8Array, offset: number): number {
  return new TextDecoder().decode(bytes.subarray(0, offset)).length
}
