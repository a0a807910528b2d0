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
  type Origin,
  type ToolResultPart,
  type Warning,
} from '@steploop/core/adapter'
import { toBase64 } from './decode-file.ts'
import { decodeOutput } from './decode-output.ts'
import { steploopMetadataOf, type SteploopMetadata } from './steploop-metadata.ts'

export interface DecodedPrompt {
  readonly instructions: string | undefined
  readonly messages: readonly Message[]
}

/** System messages at the start are the instructions; what an adapter made becomes again what it was. */
export function decodePrompt(prompt: LanguageModelV4Prompt, origin: Origin, warnings: Warning[]): DecodedPrompt {
  const first = prompt.findIndex(({ role }) => role !== 'system')
  const count = first < 0 ? prompt.length : first
  const system = prompt.slice(0, count).map(({ content }) => (typeof content === 'string' ? content : ''))
  return {
    instructions: count === 0 ? undefined : system.join('\n\n'),
    messages: prompt.slice(count).flatMap((message) => decodeMessage(message, origin, warnings) ?? []),
  }
}

function decodeMessage(message: LanguageModelV4Message, origin: Origin, warnings: Warning[]): Message | undefined {
  switch (message.role) {
    case 'system':
      return { role: 'system', content: message.content }
    case 'user':
      return {
        role: 'user',
        content: message.content.map((part) => (part.type === 'text' ? textPart(part) : filePart(part, origin))),
      }
    case 'assistant':
      return assistantMessage(message, origin, warnings)
    case 'tool': {
      const content = message.content.flatMap((part) => {
        if (part.type === 'tool-result') return [resultPart(part, origin)]
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

function assistantMessage({ content }: Assistant, origin: Origin, warnings: Warning[]): AssistantMessage {
  const origins = content.flatMap(({ providerOptions }) => steploopMetadataOf(providerOptions) ?? [])
  const { provider, model } = origins[0] ?? {}
  const ending = content.find((part) => part.type === 'custom' && part.kind === messageKind)
  const end = steploopMetadataOf(ending?.providerOptions)
  return {
    role: 'assistant',
    content: content.flatMap((part) => assistantPart(part, origin, warnings) ?? []),
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
  origin: Origin,
  warnings: Warning[],
): AssistantPart | undefined {
  const kept = steploopMetadataOf(part.providerOptions)
  switch (part.type) {
    case 'text':
      return kept?.refusal ? { type: 'refusal', text: part.text, ...metadataOf(kept) } : textPart(part)
    case 'reasoning':
      return { type: 'reasoning', text: part.text, ...metadataOf(kept) }
    case 'file':
      return filePart(part, origin)
    case 'tool-call': {
      const { toolCallId, toolName, input, providerExecuted } = part
      const inputText = typeof input === 'string' ? input : JSON.stringify(toJsonValue(input))
      const owner = providerExecuted ? 'provider' : 'client'
      return { type: 'tool-call', toolCallId, toolName, input, inputText, owner, ...metadataOf(kept) }
    }
    case 'tool-result':
      return resultPart(part, origin)
    case 'custom':
      if (part.kind === opaqueKind && kept?.providerMetadata)
        return { type: 'opaque', providerMetadata: kept.providerMetadata }
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

function metadataOf(kept: SteploopMetadata | undefined): Pick<SteploopMetadata, 'providerMetadata'> {
  return kept?.providerMetadata ? { providerMetadata: kept.providerMetadata } : {}
}

type V4Options = LanguageModelV4FilePart['providerOptions']

function textPart({ text, providerOptions }: { readonly text: string; readonly providerOptions?: V4Options }) {
  return { type: 'text' as const, text, ...metadataOf(steploopMetadataOf(providerOptions)) }
}

function resultPart(part: LanguageModelV4ToolResultPart, origin: Origin): ToolResultPart {
  const { toolCallId, toolName, output } = part
  const convert = (file: LanguageModelV4FilePart): FilePart => filePart(file, origin)
  return {
    type: 'tool-result',
    toolCallId,
    toolName,
    output: decodeOutput(output, convert),
    ...metadataOf(steploopMetadataOf(part.providerOptions)),
  }
}

function filePart({ data, mediaType, filename, providerOptions }: LanguageModelV4FilePart, origin: Origin): FilePart {
  const rest = { ...(filename !== undefined && { filename }), ...metadataOf(steploopMetadataOf(providerOptions)) }
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
      throw new AdapterError({ provider: origin.provider, model: origin.model, code: 'unsupported', message })
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
