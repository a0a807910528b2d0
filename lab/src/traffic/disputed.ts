/** A member of the answer key in which we are sure to be right. It is counted apart, never as agreement. */
export interface Dispute {
  /** Path from the traffic folder. */
  readonly file: string
  readonly interaction: number
  /** Field as reports print it, for example `toolCalls[0].owner`. */
  readonly field: string
  /** Why the key is wrong, with the evidence. */
  readonly reason: string
}

/** A line that no longer disagrees is reported, so that the list cannot rot. */
export const disputes: readonly Dispute[] = []
