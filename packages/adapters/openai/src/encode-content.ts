import {
  AdapterError,
  ownMetadata,
  isObject,
  type FilePart,
  type Origin,
  type TextPart,
  type ToolResultPart,
  type Warn,
} from '@steploop/core/adapter'
import type { ResponseInputContent } from 'openai/resources/responses/responses'

/** A result with a text in place of each sound or film in it: that a tool gave one ends no run. */
export function withoutSound(part: ToolResultPart, origin: Origin, warn: Warn): ToolResultPart {
  const { output } = part
  if (output.type !== 'content') return part
  const isRefused = (item: TextPart | FilePart): item is FilePart =>
    item.type === 'file' && isSound(item) && !isObject(ownMetadata(item, origin.provider))
  if (!output.value.some(isRefused)) return part
  const value = output.value.map((item): TextPart | FilePart => {
    if (!isRefused(item)) return item
    const message = `the Responses API takes no '${item.mediaType}'; a text stands in its place`
    warn({ type: 'coerced', path: 'tool.content[].output', message })
    return { type: 'text', text: `[${item.mediaType} file, not shown]` }
  })
  return { ...part, output: { type: 'content', value } }
}

function isSound({ mediaType }: FilePart): boolean {
  return mediaType.startsWith('audio/') || mediaType.startsWith('video/')
}

/** Content of a user message or of a tool result, as JSON-ready parts. Throws `unsupported` for media that the API does not take. */
export function inputContent(parts: readonly (TextPart | FilePart)[], origin: Origin): readonly object[] {
  return parts.map((part) => (part.type === 'text' ? { type: 'input_text', text: part.text } : inputFile(part, origin)))
}

function inputFile(part: FilePart, origin: Origin): ResponseInputContent | object {
  const own = ownMetadata(part, origin.provider)
  // An uploaded file has no neutral form: the application gives the content part itself (`{ type: 'input_file', file_id }`).
  if (isObject(own) && typeof own['type'] === 'string') return own
  const { mediaType } = part
  if (isSound(part)) {
    const message = `the Responses API takes images and documents, but no '${mediaType}'; leave the file out or transcribe it first`
    throw new AdapterError({ ...origin, code: 'unsupported', message })
  }
  if (mediaType.startsWith('image/')) {
    const image_url = part.data === undefined ? part.url : dataUrl(part)
    return { type: 'input_image', detail: 'auto', image_url: image_url ?? null } satisfies ResponseInputContent
  }
  if (part.data === undefined) return { type: 'input_file', file_url: part.url ?? '' } satisfies ResponseInputContent
  const filename = part.filename ?? `file.${mediaType.slice(mediaType.indexOf('/') + 1).replace(/[^a-z0-9]+/gi, '-')}`
  return { type: 'input_file', filename, file_data: dataUrl(part) } satisfies ResponseInputContent
}

function dataUrl(part: FilePart): string {
  return `data:${part.mediaType};base64,${part.data ?? ''}`
}
