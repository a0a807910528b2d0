import { scanCassette, type Cassette } from '@steploop/cassette'

/**
 * Paths that would mask every body field in which something looks secret, with `*` for positions in arrays. Whether they may be masked is
 * for a person to say. `undefined`: something stands where no mask reaches, such as a URL or a text that is no JSON.
 */
export function maskPaths(cassette: Cassette): readonly string[] | undefined {
  const locations = scanCassette(cassette).map(
    ({ location }) => /^(?:request|response) body of exchange \d+, (\S+)/.exec(location)?.[1],
  )
  const paths = locations.flatMap((location) => (location === undefined ? [] : [location.replaceAll(/\[\d+\]/g, '.*')]))
  return paths.length < locations.length ? undefined : [...new Set(paths)]
}
