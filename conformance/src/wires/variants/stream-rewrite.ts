/** Another way in which servers put the same answer into a stream. */
export interface StreamRewrite {
  /** Part of the variant's name. */
  readonly id: string
  /** Completes "with ...". */
  readonly title: string
  /** From the text of a whole stream to that of another one. */
  readonly change: (text: string) => string
}
