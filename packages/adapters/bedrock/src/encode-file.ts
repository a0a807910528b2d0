import type { DocumentFormat, ImageFormat, VideoFormat } from '@aws-sdk/client-bedrock-runtime'
import { objectOf, ownMetadata, textHash, type FilePart, type JsonObject } from '@steploop/core/adapter'

const imageFormats: Readonly<Record<string, ImageFormat | undefined>> = {
  'image/png': 'png',
  'image/jpeg': 'jpeg',
  'image/gif': 'gif',
  'image/webp': 'webp',
}

const documentFormats: Readonly<Record<string, DocumentFormat | undefined>> = {
  'application/pdf': 'pdf',
  'text/csv': 'csv',
  'application/msword': 'doc',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'docx',
  'application/vnd.ms-excel': 'xls',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'xlsx',
  'text/html': 'html',
  'text/plain': 'txt',
  'text/markdown': 'md',
}

const videoFormats: Readonly<Record<string, VideoFormat | undefined>> = {
  'video/x-matroska': 'mkv',
  'video/quicktime': 'mov',
  'video/mp4': 'mp4',
  'video/webm': 'webm',
  'video/x-flv': 'flv',
  'video/mpeg': 'mpeg',
  'video/x-ms-wmv': 'wmv',
  'video/3gpp': 'three_gp',
}

/**
 * A file as an image, document or video block; `undefined` when the API takes no such file. Addresses are those of S3 (`s3://...`).
 * `providerMetadata.data` of this provider adds to a document: `context`, `citations`.
 */
export function encodeFile(part: FilePart, provider: string): JsonObject | undefined {
  const source = sourceOf(part)
  if (source === undefined) return undefined
  const { mediaType } = part
  const image = ownOf(imageFormats, mediaType)
  if (image !== undefined) return { image: { format: image, source } }
  const video = ownOf(videoFormats, mediaType)
  if (video !== undefined) return { video: { format: video, source } }
  const document = ownOf(documentFormats, mediaType)
  if (document === undefined) return undefined
  const { context, citations } = objectOf(ownMetadata(part, provider))
  return {
    document: {
      format: document,
      name: nameMark + documentName(part),
      source,
      ...(context !== undefined && { context }),
      ...(citations !== undefined && { citations }),
    },
  }
}

/** A media type is whatever the caller says, `constructor` too. */
function ownOf<Format>(formats: Readonly<Record<string, Format>>, mediaType: string): Format | undefined {
  return Object.hasOwn(formats, mediaType) ? formats[mediaType] : undefined
}

function sourceOf({ data, url }: FilePart): JsonObject | undefined {
  if (data !== undefined) return { bytes: data }
  return url?.startsWith('s3://') ? { s3Location: { uri: url } } : undefined
}

/** Stands before the name of a document, so that `withUniqueNames` finds it again. */
const nameMark = '\u0001'
const namedDocument = /("document":\{"format":"[a-z_]+","name":")\\u0001([^"]*)/g

/**
 * The messages with their marks taken out. Documents of one name are refused, in a whole conversation, so each that has the name of an
 * earlier one gets a number; the same one in every later request.
 */
export function withUniqueNames(messages: string): string {
  if (!messages.includes('"name":"\\u0001')) return messages
  const taken = new Set<string>()
  return messages.replaceAll(namedDocument, (_, before: string, name: string) => {
    let unique = name
    for (let number = 2; taken.has(unique); number++) unique = `${name.slice(0, 190)} (${number})`
    taken.add(unique)
    return before + unique
  })
}

/**
 * Letters, digits, single blanks, hyphens, parentheses and brackets. The model reads the name, and two documents with one name are refused, so
 * a document without one is told from others by its content.
 */
function documentName({ filename, data, url }: FilePart): string {
  const stem = filename?.replace(/\.[a-z0-9]{1,5}$/i, '') ?? ''
  const name = stem
    .replaceAll(/[^a-zA-Z0-9()[\] -]/g, '-')
    .replaceAll(/ +/g, ' ')
    .trim()
    .slice(0, 200)
  return name === '' ? `document-${textHash(data ?? url ?? '')}` : name
}
