import { watchForBlock } from './end-when-blocked.ts'

let address: string | undefined

/** Says which case runs from now on, or that none does, so that the end of this process in the middle of it can be told with its name. */
export function noteCase(running: string | undefined): void {
  address = running
  watchForBlock(running)
}

/** ` while ... ran`, or nothing. */
export function whileCaseRan(): string {
  return address === undefined ? '' : ` while ${address} ran`
}
