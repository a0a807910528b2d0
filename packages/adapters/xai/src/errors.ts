import type { AdapterErrorCode, ErrorFacts } from '@steploop/core/adapter'

/** xAI's codes are sentences that say little, and a wrong key is a 400. https://docs.x.ai/docs/key-information/debugging */
export const errorWords: Readonly<Record<string, AdapterErrorCode>> = {
  'incorrect api key': 'authentication',
  'available credits': 'insufficient-credit',
  'any credits': 'insufficient-credit',
  'spending limit': 'insufficient-credit',
}

/** The code of a failed Responses request; a response that xAI no longer has is a plain 404. */
export function errorCode({ code, providerMessage = '' }: ErrorFacts, status: number): AdapterErrorCode {
  const message = providerMessage.toLowerCase()
  for (const word in errorWords) if (message.includes(word)) return errorWords[word] ?? code
  return status === 404 && message.includes('response') ? 'continuation-not-found' : code
}
