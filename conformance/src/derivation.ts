import type { Mode } from '@steploop/core'

/** How the cassettes of a scenario are made from recorded ones: the same conversation as other servers put it on the wire. */
export interface Derivation {
  /** The scenario whose cassette of the same subject and mode is the base. */
  readonly from: string
  /** What is changed, in words; the cassette says it. */
  readonly recipe: string
  /** Pure: the same base gives the same bytes. */
  readonly change: (exchanges: readonly DerivableExchange[], mode: Mode) => readonly DerivableExchange[]
}

/** An exchange as far as a recipe may change it. */
export interface DerivableExchange {
  /** The body that was sent, as the cassette has it: JSON. */
  readonly request: string
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** The body that came. Of a binary framing one line of JSON per message: `{ <event>: payload }`. */
  readonly response: string
}
