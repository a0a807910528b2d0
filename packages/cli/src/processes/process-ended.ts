/** A process that does a part of the work ended before it was done: no bug of this program, and nothing that options could fix. */
export class ProcessEnded extends Error {
  override readonly name = 'ProcessEnded'
}
