import {
  AdapterError,
  ownMetadata,
  isObject,
  objectOf,
  type FilePart,
  type Origin,
  type TextPart,
  type ToolOutput,
  type Warn,
} from '@steploop/core/adapter'
import type { ResponseInputContent } from 'openai/resources/responses/responses'

/** An output with a text in place of each sound or film in it: that a tool gave one ends no run. */
export function withoutSound(output: ToolOutput, origin: Origin, warn: Warn): ToolOutput {
  if (output.type !== 'content') return output
  const value = output.value.map((item): TextPart | FilePart => {
    const isRefused = item.type === 'file' && isSound(item) && !isObject(ownMetadata(item, origin.provider))
    if (!isRefused) return item
    const message = `the Responses API takes no '${item.mediaType}'; a text stands in its place`
    warn({ type: 'coerced', path: 'tool.content[].output', message })
    return { type: 'text', text: `[${item.mediaType} file, not shown]` }
  })
  return { type: 'content', value }
}

function isSound({ mediaType }: FilePart): boolean {
  return /^(audio|video)\//.test(mediaType)
}

/** Content of a user message or of a tool result, as JSON-ready parts. Throws `unsupported` for media that the API does not take. */
export function inputContent(parts: readonly (TextPart | FilePart)[], origin: Origin): readonly object[] {
  return parts.map((part) => (part.type === 'text' ? { type: 'input_text', text: part.text } : inputFile(part, origin)))
}

function inputFile(part: FilePart, origin: Origin): object {
  const own = objectOf(ownMetadata(part, origin.provider))
  // An uploaded file has no neutral form: the application gives the content part itself (`{ type: 'input_file', file_id }`).
  if (typeof own['type'] === 'string') return own
  const { mediaType } = part
  if (isSound(part)) {
    const message = `the Responses API takes images and documents, but no '${mediaType}'; leave the file out or transcribe it first`
    throw new AdapterError({ ...origin, code: 'unsupported', message })
  }
  if (mediaType.startsWith('image/'))
    return {
      type: 'input_image',
      detail: 'auto',
      image_url: part.data === undefined ? part.url : dataUrl(mediaType, part.data),
    }
  if (part.data === undefined) return { type: 'input_file', file_url: part.url }
  const filename = part.filename ?? `file.${mediaType.slice(mediaType.indexOf('/') + 1).replace(/[^a-z0-9]+/gi, '-')}`
  return { type: 'input_file', filename, file_data: dataUrl(mediaType, part.data) } satisfies ResponseInputContent
}

export function dataUrl(mediaType: string, data: string): string {
  return `data:${mediaType};base64,${data}`
}
