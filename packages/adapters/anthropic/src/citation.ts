import { numberOf, textOf, type Citation, type JsonObject } from '@steploop/core'

/** The neutral form of a citation. Positions point into the cited source, not into the answer, so they are not carried over. */
export function citationOf(citation: JsonObject): Citation {
  const url = textOf(citation['url'])
  const title = textOf(citation['title']) ?? textOf(citation['document_title']) ?? documentTitle(citation)
  const citedText = textOf(citation['cited_text'])
  return { ...(url && { url }), ...(title && { title }), ...(citedText && { citedText }) }
}

/** Documents without a title are told apart by their place in the request. */
function documentTitle(citation: JsonObject): string | undefined {
  const index = numberOf(citation['document_index'])
  return index === undefined ? undefined : `document ${index}`
}
