import type { FilePart, UserPart } from '@steploop/core/adapter'
import type { ChatCompletionContentPart } from 'openai/resources/chat/completions'

/** OpenAI's content parts: images by data or URL, WAV and MP3, other files by data. `undefined` for the rest. */
export function defaultFilePart(part: FilePart): Readonly<Record<string, unknown>> | undefined {
  const content = contentPart(part)
  return content === undefined ? undefined : { ...content }
}

function contentPart(part: FilePart): ChatCompletionContentPart | undefined {
  const { mediaType, data } = part
  if (mediaType.startsWith('image/')) return { type: 'image_url', image_url: { url: urlOf(part) } }
  if (data === undefined) return undefined
  const format = audioFormats[mediaType]
  if (format !== undefined) return { type: 'input_audio', input_audio: { data, format } }
  const filename = part.filename ?? `file.${mediaType.slice(mediaType.indexOf('/') + 1)}`
  return { type: 'file', file: { filename, file_data: urlOf(part) } }
}

const audioFormats: Readonly<Record<string, 'wav' | 'mp3' | undefined>> = {
  'audio/wav': 'wav',
  'audio/x-wav': 'wav',
  'audio/mpeg': 'mp3',
  'audio/mp3': 'mp3',
}

/** The URL of the file, or all of it as a `data:` URL. */
export function urlOf({ mediaType, data, url = '' }: FilePart): string {
  return data === undefined ? url : `data:${mediaType};base64,${data}`
}

/** The texts, and a word for each file, for providers whose tool results are text. */
export function textInPlaceOfFiles(parts: readonly UserPart[]): string {
  return parts.map((part) => (part.type === 'text' ? part.text : `[${part.mediaType} file, not shown]`)).join('\n')
}

/** Reads a URL that may be a `data:` one into the members of a file part. */
export function fileOfUrl(url: string): { mediaType: string; data?: string; url?: string } {
  if (!/^data:[^,]*;base64,/.test(url)) return { mediaType: 'image/*', url }
  const comma = url.indexOf(';base64,')
  return { mediaType: url.slice('data:'.length, comma), data: url.slice(comma + ';base64,'.length) }
}
