import { CassetteError, type Cassette, type Replay } from '@steploop/cassette'
import { cassetteFetch } from '@steploop/cassette/fetch'
import { serveCassette } from '@steploop/cassette/server'
import type { Mode } from '@steploop/core'
import type { Subject } from '../subject.ts'

/** `fetch`: injected into the adapter; `msw`: the global fetch, intercepted; `server`: real HTTP on the loopback interface. */
export type FrontEndName = 'fetch' | 'msw' | 'server'

/** All that there are. The first one is judged. */
export const frontEndNames: readonly FrontEndName[] = ['msw', 'fetch', 'server']

/**
 * Where nothing else is asked for. MSW meets every client where it meets the network, and shows how an adapter takes a body that comes in pieces; only
 * behind an injected `fetch` shows one that does not use the one it is given. A run without a mode has both.
 */
export function defaultFrontEnds(mode: Mode | undefined): readonly FrontEndName[] {
  return mode === 'generate' ? ['fetch'] : ['msw', 'fetch']
}

/** A cassette behind one front-end, for one play. */
export interface OpenFrontEnd {
  readonly fetch: typeof globalThis.fetch
  /** Where requests have to go; `undefined`: to the public base URL. */
  readonly baseURL: string | undefined
  readonly replay: Replay
  /** What the adapter sent past the front-end, and to the network if that were not denied. */
  readonly denied?: readonly string[] | undefined
  readonly close: () => void | Promise<void>
}

export async function openFrontEnd(
  name: FrontEndName,
  cassette: Cassette,
  subject: Subject,
  fileName: string,
): Promise<OpenFrontEnd> {
  switch (name) {
    case 'fetch': {
      const { fetch, replay } = replayFetch(cassette, fileName)
      const denied: string[] = []
      return { fetch, baseURL: undefined, replay, denied, close: denyGlobalFetch(subject, denied) }
    }
    case 'msw': {
      // Loaded only when it is used, as by the run.
      const { useCassette } = await import('@steploop/cassette/msw')
      const used = useCassette(cassette, { fileName })
      return { fetch: globalThis.fetch, baseURL: undefined, replay: used.replay, close: used.close }
    }
    case 'server': {
      const server = await serveCassette(cassette, { fileName, publicBaseURL: subject.baseURL })
      return { fetch: globalThis.fetch, baseURL: server.url, replay: server.replay, close: server.close }
    }
    default:
      return name satisfies never
  }
}

/**
 * Answers from the cassette. A request that fits nothing gets status 400 with the reason, as behind the other front-ends: a rejected fetch
 * would look like a broken connection, and be tried again.
 */
export function replayFetch(
  cassette: Cassette,
  fileName: string,
): { readonly fetch: typeof globalThis.fetch; readonly replay: Replay } {
  const answer = cassetteFetch(cassette, { fileName })
  return {
    replay: answer.replay,
    async fetch(input, init) {
      try {
        return await answer(input, init)
      } catch (error) {
        if (!CassetteError.isInstance(error)) throw error
        const { code, message } = error
        return Response.json({ error: { type: 'cassette', code, message } }, { status: 400 })
      }
    },
  }
}

/** An adapter that does not use the fetch that it was given would reach the network. Gives the way back. */
function denyGlobalFetch(subject: Subject, denied: string[]): () => void {
  const real = globalThis.fetch
  globalThis.fetch = () => {
    const message = `The adapter of '${subject.name}' called the global fetch. It has to use the \`fetch\` that its factory was given; replay denies the network.`
    denied.push(message)
    return Promise.reject(new Error(message))
  }
  return () => {
    globalThis.fetch = real
  }
}

/** What a replay found, as texts: each miss, or what is left over. */
export function replayProblems(replay: Replay): readonly string[] {
  const misses = replay.misses().map((error) => error.message)
  if (misses.length > 0) return misses
  try {
    replay.assertConsumed()
    return []
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)]
  }
}
