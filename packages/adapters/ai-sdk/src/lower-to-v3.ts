import type {
  LanguageModelV3CallOptions,
  LanguageModelV3Message,
  LanguageModelV3Prompt,
  LanguageModelV3ToolResultOutput,
  LanguageModelV4CallOptions,
  LanguageModelV4Message,
  LanguageModelV4ToolResultOutput,
  SharedV4FileData,
} from '@ai-sdk/provider'

/**
 * Call options of version four as a model of version three reads them: file data without their tags, other names for files in tool
 * results, no custom parts. Parts that version three does not know are left out; `encodePrompt` makes them for its own payloads only,
 * which a model of version three has never given.
 */
export function lowerToV3({ prompt, ...options }: LanguageModelV4CallOptions): LanguageModelV3CallOptions {
  return { ...options, prompt: prompt.map(lowerMessage) satisfies LanguageModelV3Prompt }
}

function lowerMessage(message: LanguageModelV4Message): LanguageModelV3Message {
  switch (message.role) {
    case 'system':
      return message
    case 'user':
      return { ...message, content: message.content.map(lowerPart) }
    case 'assistant': {
      const known = message.content.filter((part) => part.type !== 'custom' && part.type !== 'reasoning-file')
      return { ...message, content: known.map(lowerPart) }
    }
    case 'tool':
      return { ...message, content: message.content.map(lowerPart) }
    default:
      return message satisfies never
  }
}

type Lowered<Part> = Part extends { type: 'file' }
  ? Omit<Part, 'data'> & { data: Uint8Array | string | URL }
  : Part extends { type: 'tool-result' }
    ? Omit<Part, 'output'> & { output: LanguageModelV3ToolResultOutput }
    : Part

type V4Part = Exclude<LanguageModelV4Message['content'], string>[number]

function lowerPart<Part extends V4Part>(part: Part): Lowered<Part>
function lowerPart(part: V4Part): unknown {
  if (part.type === 'file') return { ...part, data: lowerData(part.data) }
  if (part.type === 'tool-result') return { ...part, output: lowerOutput(part.output) }
  return part
}

/** The bridge makes data and URLs only; inline text goes as the bytes that it is. */
function lowerData(data: SharedV4FileData): Uint8Array | string | URL {
  switch (data.type) {
    case 'data':
      return data.data
    case 'url':
      return data.url
    case 'text':
      return new TextEncoder().encode(data.text)
    case 'reference':
      return Object.values(data.reference)[0] ?? ''
    default:
      return data satisfies never
  }
}

type V4Content = Extract<LanguageModelV4ToolResultOutput, { type: 'content' }>['value'][number]
type V3Content = Extract<LanguageModelV3ToolResultOutput, { type: 'content' }>['value'][number]

function lowerOutput(output: LanguageModelV4ToolResultOutput): LanguageModelV3ToolResultOutput {
  return output.type === 'content' ? { type: 'content', value: output.value.flatMap(lowerContent) } : output
}

function lowerContent(part: V4Content): readonly V3Content[] {
  if (part.type !== 'file') return [part]
  const { data, mediaType } = part
  if (data.type === 'url') return [{ type: 'file-url', url: data.url.href }]
  if (data.type !== 'data' || typeof data.data !== 'string') return []
  const type = mediaType.startsWith('image/') ? 'image-data' : 'file-data'
  return [{ type, data: data.data, mediaType }]
}
