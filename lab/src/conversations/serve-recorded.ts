import type { Cassette, Exchange } from '@steploop/cassette'
import { isObject, type JsonObject } from '@steploop/core/adapter'
import { parsed } from '@steploop/conformance/cli'
import type { Chain, LinkedTurn } from './link-turns.ts'

/** Recorded responses behind MSW, and what was asked for them. */
export interface ServedChain {
  /** For the adapter: the global fetch, which MSW answers. */
  readonly fetch: typeof globalThis.fetch
  /** Bodies of the requests so far. */
  readonly sent: readonly JsonObject[]
  readonly close: () => void
}

/** Answers with the responses of a chain, one after the other, whatever is asked: that is compared elsewhere. */
export async function serveChain(chain: Chain): Promise<ServedChain> {
  // Loaded only here: commands that serve nothing start without MSW.
  const { useCassette } = await import('@steploop/cassette/msw')
  const sent: JsonObject[] = []
  const used = useCassette(cassetteOf(chain), { match: { inOrder: true } })
  return {
    sent,
    close: used.close,
    async fetch(input, init) {
      const body = typeof init?.body === 'string' ? parsed(init.body) : undefined
      sent.push(isObject(body) ? body : {})
      return globalThis.fetch(input, init)
    },
  }
}

function cassetteOf(chain: Chain): Cassette {
  const [{ subject }] = chain as readonly [LinkedTurn]
  const { wire, model, baseURL } = subject
  const origin = { kind: 'imported', by: 'recorded traffic', date: '2000-01-01' } as const
  return {
    header: { scenario: 'recorded', mode: 'generate', provider: subject.name, wire, model, origin },
    exchanges: chain.map(({ interaction: { response } }): Exchange => {
      const body = response.bytes ?? new Uint8Array(0)
      return {
        request: { method: 'POST', url: baseURL, headers: {}, body: new Uint8Array(0) },
        response: {
          status: response.status,
          headers: Object.fromEntries(response.headers),
          body,
          chunks: [{ ms: 0, bytes: body.length }],
          ending: 'eof',
        },
      }
    }),
  }
}
