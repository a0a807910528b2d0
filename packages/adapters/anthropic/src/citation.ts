import { isObject, numberOf, objectOf, textOf, type Citation, type JsonObject } from '@steploop/core/adapter'

/** The neutral form of a citation. Positions point into the cited source, not into the answer, so they are not carried over. */
export function citationOf(citation: JsonObject): Citation {
  const url = textOf(citation['url'])
  const title = textOf(citation['title']) ?? textOf(citation['document_title']) ?? documentTitle(citation)
  const citedText = textOf(citation['cited_text'])
  const isFile = numberOf(citation['document_index']) !== undefined
  return {
    ...(isFile && { kind: 'file' }),
    ...(url && { url }),
    ...(title && { title }),
    ...(citedText && { citedText }),
  }
}

/** Documents without a title are told apart by their position in the request. */
function documentTitle(citation: JsonObject): string | undefined {
  const index = numberOf(citation['document_index'])
  return index === undefined ? undefined : `document ${index}`
}

/**
 * A block as it goes back. Citations of documents name the document's `file_id` in answers only; requests that hold it are refused
 * (`file_id: Extra inputs are not permitted`), in text blocks and in those inside the results of server tools.
 */
export function returnableBlock(block: JsonObject): JsonObject {
  const { citations, content } = block
  return {
    ...block,
    ...(Array.isArray(citations) && { citations: citations.map(withoutFileId) }),
    ...(Array.isArray(content) && {
      content: content.map((inner: unknown) => (isObject(inner) ? returnableBlock(inner) : inner)),
    }),
  }
}

function withoutFileId(citation: unknown): unknown {
  const { file_id: _answerOnly, ...rest } = objectOf(citation)
  return rest
}
