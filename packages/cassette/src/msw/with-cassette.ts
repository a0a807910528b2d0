import type { Cassette } from '../cassette.ts'
import { useCassette, type UseCassetteOptions, type UsedCassette } from './use-cassette.ts'

/**
 * Runs the callback with a cassette, as a block with `using cassette = useCassette(...)` does, and fails with the error that is to be read:
 * with the first refused request where there is one, what the callback threw as its `cause`; else with what the callback threw, since
 * exchanges that are left over follow from that. (A block that fails, and finds fault with its cassette at its end, throws a
 * `SuppressedError`, whose message names neither.)
 *
 * @throws {CassetteError} the first refused request; when the callback succeeds, `unconsumed` too, and what reading or writing throws
 */
export async function withCassette<Result>(
  source: Cassette | string,
  callback: (cassette: UsedCassette) => Result,
  options: UseCassetteOptions = {},
): Promise<Awaited<Result>> {
  const used = useCassette(source, options)
  const result = await attempt(used, callback)
  used[Symbol.dispose]()
  return result
}

async function attempt<Result>(
  used: UsedCassette,
  callback: (cassette: UsedCassette) => Result,
): Promise<Awaited<Result>> {
  try {
    return await used.run(() => callback(used))
  } catch (error) {
    used.close()
    const [miss] = used.replay.misses()
    if (miss === undefined || miss === error) throw error
    miss.cause = error
    throw miss
  }
}
