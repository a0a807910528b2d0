import type {
  LanguageModelV4FilePart,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  LanguageModelV4ToolResultPart,
} from '@ai-sdk/provider'
import {
  AdapterError,
  toJsonValue,
  type AssistantMessage,
  type AssistantPart,
  type FilePart,
  type Message,
  type Stamp,
  type ToolResultPart,
  type Warning,
} from '@steploop/core/adapter'
import { toBase64 } from './decode-file.ts'
import { decodeOutput } from './decode-output.ts'
import { originOf, type Origin } from './steploop-metadata.ts'

export interface DecodedPrompt {
  readonly instructions: string | undefined
  readonly messages: readonly Message[]
}

/** System messages at the start are the instructions; what an adapter made becomes again what it was. */
export function decodePrompt(prompt: LanguageModelV4Prompt, stamp: Stamp, warnings: Warning[]): DecodedPrompt {
  const first = prompt.findIndex(({ role }) => role !== 'system')
  const count = first < 0 ? prompt.length : first
  const system = prompt.slice(0, count).map(({ content }) => (typeof content === 'string' ? content : ''))
  return {
    instructions: count === 0 ? undefined : system.join('\n\n'),
    messages: prompt.slice(count).flatMap((message) => decodeMessage(message, stamp, warnings) ?? []),
  }
}

function decodeMessage(message: LanguageModelV4Message, stamp: Stamp, warnings: Warning[]): Message | undefined {
  switch (message.role) {
    case 'system':
      return { role: 'system', content: message.content }
    case 'user':
      return {
        role: 'user',
        content: message.content.map((part) => (part.type === 'text' ? textPart(part) : filePart(part, stamp))),
      }
    case 'assistant':
      return assistantMessage(message, stamp, warnings)
    case 'tool': {
      const content = message.content.flatMap((part) => {
        if (part.type === 'tool-result') return [resultPart(part, stamp)]
        warnings.push({ type: 'dropped', path: 'prompt', message: 'Adapters take no approvals of provider-run tools.' })
        return []
      })
      return content.length === 0 ? undefined : { role: 'tool', content }
    }
    default:
      return message satisfies never
  }
}

type Assistant = Extract<LanguageModelV4Message, { role: 'assistant' }>

function assistantMessage({ content }: Assistant, stamp: Stamp, warnings: Warning[]): AssistantMessage {
  const origins = content.flatMap(({ providerOptions }) => originOf(providerOptions) ?? [])
  const { provider, model } = origins[0] ?? {}
  const ending = content.find((part) => part.type === 'custom' && part.kind === messageKind)
  const end = originOf(ending?.providerOptions)
  return {
    role: 'assistant',
    content: content.flatMap((part) => assistantPart(part, stamp, warnings) ?? []),
    ...(provider !== undefined && { provider }),
    ...(model !== undefined && { model }),
    ...(end?.responseId !== undefined && { responseId: end.responseId }),
    ...(end?.providerMetadata && { providerMetadata: end.providerMetadata }),
  }
}

/** Custom content that keeps the slot of a block without neutral form, and that carries what belongs to the whole message. */
export const opaqueKind = 'steploop.opaque'
export const messageKind = 'steploop.message'

function assistantPart(
  part: Assistant['content'][number],
  stamp: Stamp,
  warnings: Warning[],
): AssistantPart | undefined {
  const origin = originOf(part.providerOptions)
  switch (part.type) {
    case 'text':
      return origin?.refusal ? { type: 'refusal', text: part.text, ...metadataOf(origin) } : textPart(part)
    case 'reasoning':
      return { type: 'reasoning', text: part.text, ...metadataOf(origin) }
    case 'file':
      return filePart(part, stamp)
    case 'tool-call': {
      const { toolCallId, toolName, input, providerExecuted } = part
      const inputText = typeof input === 'string' ? input : JSON.stringify(toJsonValue(input))
      const owner = providerExecuted ? 'provider' : 'client'
      return { type: 'tool-call', toolCallId, toolName, input, inputText, owner, ...metadataOf(origin) }
    }
    case 'tool-result':
      return resultPart(part, stamp)
    case 'custom':
      if (part.kind === opaqueKind && origin?.providerMetadata)
        return { type: 'opaque', providerMetadata: origin.providerMetadata }
      return part.kind === messageKind ? undefined : dropped(part.kind, warnings)
    case 'reasoning-file':
      return dropped(part.type, warnings)
    default:
      return part satisfies never
  }
}

function dropped(what: string, warnings: Warning[]): undefined {
  const message = `A part '${what}' of an assistant message is left out: adapters know no such part.`
  warnings.push({ type: 'dropped', path: 'prompt', message })
}

function metadataOf(origin: Origin | undefined): Pick<Origin, 'providerMetadata'> {
  return origin?.providerMetadata ? { providerMetadata: origin.providerMetadata } : {}
}

type V4Options = LanguageModelV4FilePart['providerOptions']

function textPart({ text, providerOptions }: { readonly text: string; readonly providerOptions?: V4Options }) {
  return { type: 'text' as const, text, ...metadataOf(originOf(providerOptions)) }
}

function resultPart(part: LanguageModelV4ToolResultPart, stamp: Stamp): ToolResultPart {
  const { toolCallId, toolName, output } = part
  const convert = (file: LanguageModelV4FilePart): FilePart => filePart(file, stamp)
  return {
    type: 'tool-result',
    toolCallId,
    toolName,
    output: decodeOutput(output, convert),
    ...metadataOf(originOf(part.providerOptions)),
  }
}

function filePart({ data, mediaType, filename, providerOptions }: LanguageModelV4FilePart, stamp: Stamp): FilePart {
  const rest = { ...(filename !== undefined && { filename }), ...metadataOf(originOf(providerOptions)) }
  switch (data.type) {
    case 'data': {
      const base64 = typeof data.data === 'string' ? data.data : toBase64(data.data)
      return { type: 'file', mediaType: fullMediaType(mediaType, base64), data: base64, ...rest }
    }
    case 'url':
      return { type: 'file', mediaType, url: data.originalUrl ?? data.url.href, ...rest }
    case 'text': {
      const bytes = new TextEncoder().encode(data.text)
      return {
        type: 'file',
        mediaType: mediaType.includes('/') ? mediaType : 'text/plain',
        data: toBase64(bytes),
        ...rest,
      }
    }
    case 'reference': {
      const message = 'a file is given as a reference to an upload, which adapters do not know; give its data'
      throw new AdapterError({ provider: stamp.provider, model: stamp.model, code: 'unsupported', message })
    }
    default:
      return data satisfies never
  }
}

/** First bytes in base64. The AI SDK may name no more than `image` or `image/*`. */
const signatures: readonly (readonly [start: string, mediaType: string])[] = [
  ['iVBORw0KGgo', 'image/png'],
  ['/9j/', 'image/jpeg'],
  ['R0lGOD', 'image/gif'],
  ['UklGR', 'image/webp'],
  ['JVBERi', 'application/pdf'],
]

function fullMediaType(mediaType: string, base64: string): string {
  if (mediaType.includes('/') && !mediaType.endsWith('/*')) return mediaType
  return signatures.find(([start]) => base64.startsWith(start))?.[1] ?? mediaType
}
