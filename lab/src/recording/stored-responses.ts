import type { Exchange } from '@steploop/cassette'
import { objectOf, textOf } from '@steploop/core/adapter'
import { payloadsOf } from '../cassette-tools/exchange-view.ts'
import { parsed } from '@steploop/conformance/cli'

/** An object that a recording left behind at the provider. */
export interface StoredResponse {
  readonly id: string
  /** Where it can be deleted, under the public base URL. */
  readonly url: string
}

/**
 * The responses that a provider of the Responses API keeps: all but those to requests with `store: false`. It keeps them for 30 days
 * unless they are deleted (https://platform.openai.com/docs/api-reference/responses/delete; xAI: https://docs.x.ai/docs/api-reference).
 * A stream that was cut has said its id in the first event.
 */
export function storedResponses(exchanges: readonly Exchange[]): readonly StoredResponse[] {
  return exchanges.flatMap(({ request, response }) => {
    const url = new URL(request.url)
    const isKept = objectOf(parsed(new TextDecoder().decode(request.body)))['store'] !== false
    if (request.method !== 'POST' || !url.pathname.endsWith('/responses') || response.status !== 200 || !isKept)
      return []
    const payloads = payloadsOf(response.body, response.headers['content-type'] ?? '')
    const id = payloads.map((payload) => textOf(objectOf(payload['response'])['id'] ?? payload['id'])).find(Boolean)
    if (id === undefined) return []
    return [{ id, url: `${url.origin}${url.pathname}/${encodeURIComponent(id)}${url.search}` }]
  })
}

export interface DeleteOptions {
  /** Brings a public URL to the server that was recorded. */
  readonly realUrl: (url: string) => string
  /** Credentials of the requests that made the objects. */
  readonly headers: Headers
  /** Milliseconds for one request. Default: 10,000. */
  readonly timeout?: number | undefined
}

/** Deletes what a recording left behind. Gives a warning with the id for each that may still be there; never rejects. */
export async function deleteStored(
  stored: readonly StoredResponse[],
  { realUrl, headers, timeout = 10_000 }: DeleteOptions,
): Promise<readonly string[]> {
  const warnings: string[] = []
  for (const { id, url } of stored) {
    const failure = await failureOf(realUrl(url), { method: 'DELETE', headers, signal: AbortSignal.timeout(timeout) })
    if (failure === undefined) continue
    warnings.push(`the stored response ${id} could not be deleted (${failure}). Delete it yourself: DELETE ${url}`)
  }
  return warnings
}

async function failureOf(url: string, init: RequestInit): Promise<string | undefined> {
  try {
    const response = await globalThis.fetch(url, init)
    await response.body?.cancel()
    // What is gone already is not left behind.
    return response.ok || response.status === 404 ? undefined : `status ${response.status}`
  } catch (error) {
    const { cause } = error instanceof Error ? error : { cause: undefined }
    return cause instanceof Error ? cause.message : String(error)
  }
}
