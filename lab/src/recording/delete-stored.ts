import type { StoredObject } from '@steploop/conformance/cli'

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
  stored: readonly StoredObject[],
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
