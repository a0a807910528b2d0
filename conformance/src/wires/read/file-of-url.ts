import type { SentFile } from './conversation.ts'

/** A `data:` URL taken apart; any other stays a URL, of which only the kind of media is known. */
export function fileOfUrl(url: string | undefined, mediaKind: string, filename?: string): SentFile {
  const [, mediaType, data] = /^data:([^;,]*);base64,(.*)$/s.exec(url ?? '') ?? []
  if (data === undefined) return { mediaType: mediaKind, data: undefined, url, filename }
  return { mediaType, data, url: undefined, filename }
}
