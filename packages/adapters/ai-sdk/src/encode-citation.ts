import type { LanguageModelV4Citation, LanguageModelV4Source } from '@ai-sdk/provider'
import type { Citation } from '@steploop/core/adapter'

/** A page of the web has a URL; whatever else was cited is a document. */
export function encodeCitation(citation: Citation, id: string): LanguageModelV4Citation {
  const { startIndex, endIndex, citedText } = citation
  return {
    source: sourceOf(citation, id),
    ...(startIndex !== undefined && { startIndex }),
    ...(endIndex !== undefined && { endIndex }),
    ...(citedText !== undefined && { citedText }),
  }
}

function sourceOf({ url, title }: Citation, id: string): LanguageModelV4Source {
  if (url === undefined) {
    return { type: 'source', sourceType: 'document', id, mediaType: 'text/plain', title: title ?? 'Document' }
  }
  return { type: 'source', sourceType: 'url', id, url, ...(title !== undefined && { title }) }
}
