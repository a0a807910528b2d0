/** How sure the model was of one token of its answer. */
export interface TokenLogprob {
  readonly token: string
  /** Natural logarithm of its probability. */
  readonly logprob: number
  /** UTF-8, where the token is a part of a character. */
  readonly bytes?: readonly number[] | undefined
  /** The likeliest tokens at this position, if they were asked for. */
  readonly top?: readonly Omit<TokenLogprob, 'top'>[] | undefined
}
