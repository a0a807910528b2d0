import type {
  Base64ImageSource,
  Base64PDFSource,
  DocumentBlockParam,
  ImageBlockParam,
  PlainTextSource,
  URLImageSource,
  URLPDFSource,
} from '@anthropic-ai/sdk/resources/messages'
import { objectOf, ownMetadata, type FilePart } from '@steploop/core/adapter'

const imageTypes: readonly string[] = [
  'image/jpeg',
  'image/png',
  'image/gif',
  'image/webp',
] satisfies Base64ImageSource['media_type'][]

export interface FileTarget {
  readonly provider: string
  /** Whether a file may be named by its address. */
  readonly takesUrls: boolean
}

/**
 * A file as an image or document block; `undefined` when the API takes no such file.
 * `providerMetadata.data` of this provider adds to the block (`cache_control`, `citations`), and its `source` replaces ours: uploaded files are
 * named so (`{ source: { type: 'file', file_id } }`).
 */
export function encodeFile(part: FilePart, { provider, takesUrls }: FileTarget): string | undefined {
  const own = objectOf(ownMetadata(part, provider))
  if (part.url !== undefined && !takesUrls && own['source'] === undefined) return undefined
  if (part.mediaType.startsWith('image/')) {
    const source = own['source'] ?? imageSource(part)
    return source === undefined
      ? undefined
      : JSON.stringify({ type: 'image' satisfies ImageBlockParam['type'], source, ...own })
  }
  const source = own['source'] ?? documentSource(part)
  if (source === undefined) return undefined
  const title = part.filename === undefined ? {} : ({ title: part.filename } satisfies Partial<DocumentBlockParam>)
  return JSON.stringify({ type: 'document' satisfies DocumentBlockParam['type'], source, ...title, ...own })
}

function imageSource(part: FilePart): object | undefined {
  if (part.url !== undefined) return { type: 'url', url: part.url } satisfies URLImageSource
  const { mediaType, data } = part
  if (data === undefined || !imageTypes.includes(mediaType)) return undefined
  return { type: 'base64', media_type: mediaType, data } satisfies Loose<Base64ImageSource, 'media_type'>
}

function documentSource(part: FilePart): object | undefined {
  const { mediaType, data, url } = part
  if (mediaType === 'application/pdf') {
    if (url !== undefined) return { type: 'url', url } satisfies URLPDFSource
    if (data !== undefined) return { type: 'base64', media_type: mediaType, data } satisfies Base64PDFSource
  }
  if (mediaType.startsWith('text/') && data !== undefined) {
    return { type: 'text', media_type: 'text/plain', data: textOfBase64(data) } satisfies PlainTextSource
  }
  return undefined
}

/** The vendor's type with one member widened to string, where the value was checked at run time. */
type Loose<Type, Member extends keyof Type> = Omit<Type, Member> & Record<Member, string>

function textOfBase64(data: string): string {
  return new TextDecoder().decode(Uint8Array.from(atob(data), (character) => character.charCodeAt(0)))
}
