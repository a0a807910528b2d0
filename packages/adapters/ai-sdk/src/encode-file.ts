import type { LanguageModelV4FilePart } from '@ai-sdk/provider'
import { AdapterError, type FilePart } from '@steploop/core/adapter'
import type { PromptContext } from './prompt-context.ts'

/** A file with its data, or its URL where the model fetches such URLs itself: the caller of a model has to load all others. */
export function encodeFile(part: FilePart, { origin, supportedUrls }: PromptContext): LanguageModelV4FilePart {
  const { mediaType, filename } = part
  const rest = { type: 'file' as const, mediaType, ...(filename !== undefined && { filename }) }
  if (part.data !== undefined) return { ...rest, data: { type: 'data', data: part.data } }
  const url = part.url ?? ''
  if (URL.canParse(url) && isSupported(url, mediaType, supportedUrls)) {
    return { ...rest, data: { type: 'url', url: new URL(url) } }
  }
  const message = `the model does not load a file of type ${mediaType} from the URL ${url || '(none)'}; give the file as base64 \`data\``
  throw new AdapterError({ ...origin, code: 'unsupported', message })
}

/** Patterns are meant for URLs in lower case. Keys are media types, `image/*`, or one star for all. */
function isSupported(url: string, mediaType: string, supported: PromptContext['supportedUrls']): boolean {
  const wanted = mediaType.toLowerCase()
  return Object.entries(supported).some(([type, patterns]) => {
    const prefix = type.toLowerCase().replace(/\*.*$/, '')
    const applies = type.includes('*') ? wanted.startsWith(prefix) : wanted === type.toLowerCase()
    return applies && patterns.some((pattern) => new RegExp(pattern.source, pattern.flags).test(url.toLowerCase()))
  })
}
