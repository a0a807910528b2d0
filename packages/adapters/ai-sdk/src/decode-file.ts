import { isObject, textOf, type JsonObject } from '@steploop/core/adapter'

interface DecodedFile {
  readonly mediaType: string
  readonly data?: string
  readonly url?: string
  readonly filename?: string
}

/** A generated file. Version three gives its data bare, version four with a tag. */
export function decodeFile({ data, mediaType, filename }: JsonObject): DecodedFile {
  const name = textOf(filename)
  return {
    mediaType: textOf(mediaType) ?? 'application/octet-stream',
    ...contentOf(data),
    ...(name !== undefined && { filename: name }),
  }
}

function contentOf(data: unknown): { readonly data: string } | { readonly url: string } {
  if (data instanceof Uint8Array) return { data: toBase64(data) }
  if (typeof data === 'string') return { data }
  if (!isObject(data)) return { data: '' }
  if (data['type'] === 'url') return { url: textOf(data['originalUrl']) ?? String(data['url']) }
  return contentOf(data['data'])
}

/** In pieces: a call with too many arguments overflows the stack. */
export function toBase64(bytes: Uint8Array): string {
  let binary = ''
  for (let at = 0; at < bytes.length; at += 8192) binary += String.fromCharCode(...bytes.subarray(at, at + 8192))
  return btoa(binary)
}
