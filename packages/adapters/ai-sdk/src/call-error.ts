import type { LanguageModelV4CallOptions } from '@ai-sdk/provider'
import { AdapterError } from '@steploop/core/adapter'

/** What the AI SDK looks for in an error, whichever copy of it asks. */
const markers = ['vercel.ai.error', 'vercel.ai.error.AI_APICallError'].map((name) => Symbol.for(name))

/**
 * An `AdapterError` as the AI SDK knows failed calls: with `isRetryable`, `statusCode`, and the wait in the header that its retries read.
 * An abort is thrown as what the caller aborted with; other errors stay as they are.
 */
export function toCallError(error: unknown, { abortSignal }: Pick<LanguageModelV4CallOptions, 'abortSignal'>): unknown {
  if (!AdapterError.isInstance(error)) return error
  if (abortSignal?.aborted && (error.code === 'aborted' || error.code === 'timeout')) {
    const reason: unknown = abortSignal.reason
    return reason
  }
  const callError = new Error(error.message, { cause: error })
  callError.name = 'AI_APICallError'
  const wait = error.retryAfterMs
  Object.assign(callError, {
    // The adapter keeps both to itself.
    url: '',
    requestBodyValues: {},
    statusCode: error.status,
    isRetryable: error.retryable,
    responseHeaders: wait === undefined ? {} : { 'retry-after-ms': String(wait) },
    data: { code: error.code, provider: error.provider, model: error.model, requestId: error.requestId },
  })
  for (const marker of markers) Object.defineProperty(callError, marker, { value: true })
  return callError
}
