import type { FilePart } from '@steploop/core/adapter'
import { defaultFilePart, urlOf, type ChatDialect, type Fields } from '@steploop/openai-compatible'

/** How OpenRouter deviates from Chat Completions (docs/wire.md#openrouter, https://openrouter.ai/docs/api-reference/overview). */
export const openrouterDialect: ChatDialect = {
  // Counts and costs come unasked, in both modes; the fields that once asked for them have left the API reference.
  streamOptions: false,
  settings: { topK: 'top_k' },
  reasoning: (effort) => ({ reasoning: { effort } }),
  editedReasoning: 'reasoning',
  filePart,
  // https://openrouter.ai/docs/api-reference/errors
  errorWords: { 'input was flagged': 'content-filter', 'key limit exceeded': 'insufficient-credit' },
}

/** Documents may be given by URL too, and videos have a chunk of their own. */
function filePart(part: FilePart): Fields | undefined {
  const { mediaType, url, filename } = part
  if (mediaType.startsWith('video/')) return { type: 'video_url', video_url: { url: urlOf(part) } }
  const isDocument = !mediaType.startsWith('image/') && !mediaType.startsWith('audio/')
  if (!isDocument || url === undefined) return defaultFilePart(part)
  const fallback = `file.${mediaType.slice(mediaType.indexOf('/') + 1)}`
  return { type: 'file', file: { filename: filename ?? fallback, file_data: url } }
}
