import type { FilePart, TextPart, ToolOutput } from '@steploop/core'
import { badRequest } from './api-error.ts'
import { isObject, textOf, type JsonObject } from './json.ts'

/** The content of a message or of an output. Throws `ApiError` 400 for parts that cannot be read here. */
export function readParts(content: unknown, param: string): readonly (TextPart | FilePart)[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  if (!Array.isArray(content)) throw badRequest('The content is no text and no list of parts.', { param })
  return content.map((part: unknown, index) => readPart(part, `${param}[${index}]`))
}

/** An output of a call: a text, or parts. */
export function readOutput(output: unknown, param: string): ToolOutput {
  if (typeof output === 'string') return { type: 'text', value: output }
  if (Array.isArray(output)) return { type: 'content', value: readParts(output, param) }
  throw badRequest('The output is no text and no list of parts.', { param })
}

function readPart(part: unknown, param: string): TextPart | FilePart {
  if (!isObject(part)) throw badRequest('A part of a content is an object.', { param })
  switch (part['type']) {
    case 'input_text':
    case 'output_text':
    case 'text':
      return { type: 'text', text: textIn(part, 'text', param) }
    case 'refusal':
      return { type: 'text', text: textIn(part, 'refusal', param) }
    case 'input_image':
      return imagePart(part, param)
    case 'input_file':
      return filePart(part, param)
    default: {
      const message = `Parts of type '${textOf(part['type']) ?? ''}' are not supported.`
      throw badRequest(message, { code: 'unsupported_parameter', param: `${param}.type` })
    }
  }
}

function textIn(part: JsonObject, name: string, param: string): string {
  const text = textOf(part[name])
  if (text === undefined) throw badRequest(`'${name}' is no text.`, { param: `${param}.${name}` })
  return text
}

function imagePart(part: JsonObject, param: string): FilePart {
  refuseFileId(part, param)
  const url = textIn(part, 'image_url', param)
  const inline = dataIn(url)
  return { type: 'file', mediaType: inline?.mediaType ?? 'image/*', ...(inline ? { data: inline.data } : { url }) }
}

function filePart(part: JsonObject, param: string): FilePart {
  refuseFileId(part, param)
  const filename = textOf(part['filename'])
  const named = { ...(filename !== undefined && { filename }) }
  const url = textOf(part['file_url'])
  if (url !== undefined) return { type: 'file', mediaType: 'application/pdf', url, ...named }
  const data = textIn(part, 'file_data', param)
  return { type: 'file', ...(dataIn(data) ?? { mediaType: 'application/pdf', data }), ...named }
}

function refuseFileId(part: JsonObject, param: string): void {
  if (part['file_id'] == null) return
  const message = 'Files are not kept here. Give the data, or a URL.'
  throw badRequest(message, { code: 'unsupported_parameter', param: `${param}.file_id` })
}

function dataIn(url: string): { readonly mediaType: string; readonly data: string } | undefined {
  const match = /^data:([^;,]+)[^,]*;base64,/i.exec(url)
  return match?.[1] === undefined ? undefined : { mediaType: match[1], data: url.slice(match[0].length) }
}
