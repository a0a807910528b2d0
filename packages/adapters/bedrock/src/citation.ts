import { arrayOf, isObject, objectOf, textOf, type Citation, type JsonObject } from '@steploop/core/adapter'

/** The neutral form of a citation, which supports the whole of its block. Its positions are positions in the source, so they are not carried over. */
export function citationOf({ title, source, sourceContent, location }: JsonObject): Citation {
  const url = textOf(objectOf(objectOf(location)['web'])['url']) ?? (isUrl(source) ? source : undefined)
  const quoted = arrayOf(sourceContent).flatMap((piece) => textOf(objectOf(piece)['text']) ?? [])
  const name = textOf(title) ?? (url === undefined ? textOf(source) : undefined)
  return {
    ...(url === undefined && isObject(location) && { kind: 'file' as const }),
    ...(url !== undefined && { url }),
    ...(name !== undefined && { title: name }),
    ...(quoted.length > 0 && { citedText: quoted.join('') }),
  }
}

function isUrl(source: unknown): source is string {
  return typeof source === 'string' && /^https?:\/\//.test(source)
}
