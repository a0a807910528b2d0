import { numberOf, objectOf, textOf, type Citation, type JsonObject } from '@steploop/core/adapter'

/** A citation of a text: its source, and which words of both are meant. */
export function citationOf({ source, startIndex, endIndex, citedText }: JsonObject): Citation {
  const start = numberOf(startIndex)
  const end = numberOf(endIndex)
  const quoted = textOf(citedText)
  return {
    ...sourceOf(objectOf(source)),
    ...(quoted !== undefined && { citedText: quoted }),
    ...(start !== undefined && { startIndex: start }),
    ...(end !== undefined && { endIndex: end }),
  }
}

/** A document has a title and perhaps a file name, a page of the web its URL. */
export function sourceOf({ url, title, filename }: JsonObject): Citation {
  const address = textOf(url)
  const name = textOf(title) ?? textOf(filename)
  return { ...(address !== undefined && { url: address }), ...(name !== undefined && { title: name }) }
}
