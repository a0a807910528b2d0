import type { FilePart, SettingNames } from '@steploop/core/adapter'
import { alphanumericCallId, urlOf, type ChatDialect, type Fields } from '@steploop/openai-compatible'
import type { ChatCompletionRequest$Outbound, ContentChunk$Outbound } from '@mistralai/mistralai/models/components'

type Params = Partial<ChatCompletionRequest$Outbound>

/** How Mistral deviates from Chat Completions (docs/wire.md#mistral, https://docs.mistral.ai/api/endpoint/chat). */
export function mistralDialect(model: string): ChatDialect {
  return {
    settings: { seed: 'random_seed' } satisfies SettingNames<keyof Params>,
    reasoning: (effort, coerced): Params & Fields => {
      const isGraded = !model.startsWith('magistral')
      if (!isGraded) coerced('Magistral always reasons, and not by degrees; nothing was sent')
      return isGraded ? { reasoning_effort: effort } : {}
    },
    // Unknown to Mistral, which counts without being asked (docs/wire.md#chat-usage).
    streamOptions: false,
    toolChoice: { required: 'any' },
    structuredWithTools: false,
    callId: alphanumericCallId(9),
    emptyContent: '',
    refusals: false,
    // Thinking stands inside the content.
    editedReasoning: 'content',
    filePart,
    errorWords: { capacity_exceeded: 'overloaded' },
  }
}

const documents = /^application\/(pdf|msword|vnd\.)/

/** https://docs.mistral.ai/capabilities/vision, /document_ai/document_qna, /audio: images, documents and audio by data or URL. */
function filePart(part: FilePart): Fields | undefined {
  const chunk = contentChunk(part)
  return chunk && { ...chunk }
}

function contentChunk(part: FilePart): ContentChunk$Outbound | undefined {
  const { mediaType, filename, data } = part
  const address = urlOf(part)
  if (mediaType.startsWith('image/')) return { type: 'image_url', image_url: { url: address } }
  if (mediaType.startsWith('audio/')) return { type: 'input_audio', input_audio: data ?? address }
  if (!documents.test(mediaType)) return undefined
  return {
    type: 'document_url',
    document_url: address,
    ...(filename !== undefined && { document_name: filename }),
  }
}
