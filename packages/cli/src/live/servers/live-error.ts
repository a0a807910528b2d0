import { HarnessError } from '@steploop/conformance'

/** What stands in the way of a live check is told in one line: what, and what to do. */
export function liveError(what: string, fix: string): HarnessError {
  return new HarnessError('usage', `${what} ${fix}`)
}

/** No server can be had here. That is no failure: whoever runs this goes without it. */
export class NoServer extends Error {
  override readonly name = 'NoServer'
}
