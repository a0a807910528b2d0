import type { FunctionResponse, FunctionResponsePart } from '@google/genai'
import {
  isObject,
  type FilePart,
  type HistoryContext,
  type JsonObject,
  type ToolResultPart,
} from '@steploop/core/adapter'
import type { Plain } from './names.ts'

/** Media that function responses take (https://ai.google.dev/gemini-api/docs/function-calling, multimodal function responses). */
const mediaTypes = /^(image\/(png|jpeg|webp)|application\/pdf|text\/plain)$/

/** Members of a function response. */
interface ResponseFields {
  readonly response: JsonObject
  readonly parts?: readonly JsonObject[]
}

/**
 * What a tool gave, as `response`, which has to be an object: the API reads its `output` or `error`, or the whole of it where it has
 * neither. Files go into `parts` where the model takes them; elsewhere a text says so in their place.
 */
export function functionResponse(part: ToolResultPart, context: HistoryContext, takesMedia: boolean): ResponseFields {
  const { output } = part
  switch (output.type) {
    case 'text':
      return { response: { output: output.value } }
    case 'json': {
      const { value } = output
      const isWhole = isObject(value) && !('output' in value) && !('error' in value)
      return { response: isWhole ? value : { output: value } }
    }
    case 'error':
      return { response: { error: output.value } }
    case 'content': {
      const texts: string[] = []
      const parts: Plain<FunctionResponsePart>[] = []
      for (const item of output.value) {
        if (item.type === 'text') texts.push(item.text)
        else if (takesMedia && mediaTypes.test(item.mediaType)) parts.push(mediaPart(item))
        else texts.push(fileNote(item, part, context))
      }
      return {
        response: { output: texts.join('\n') },
        ...(parts.length > 0 && { parts }),
      } satisfies Plain<FunctionResponse>
    }
    default:
      return output satisfies never
  }
}

function mediaPart({ mediaType: mimeType, data, url = '' }: FilePart): Plain<FunctionResponsePart> {
  return data === undefined ? { fileData: { mimeType, fileUri: url } } : { inlineData: { mimeType, data } }
}

function fileNote(file: FilePart, part: ToolResultPart, context: HistoryContext): string {
  const message = `A file of type ${file.mediaType} in the result of ${part.toolName} cannot be sent; a text says so in its place.`
  context.warn({ type: 'coerced', path: 'messages', message })
  return `[${file.filename ?? 'file'} of type ${file.mediaType} left out]`
}
