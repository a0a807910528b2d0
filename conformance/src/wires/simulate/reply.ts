import type { Body } from './body-bytes.ts'
import type { Rejection } from './wire-simulation.ts'

/** A request as it arrived. Header names are lower case. */
export interface SimulatedRequest {
  readonly method: string
  /** Path with the query, after the host. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  /** The body as it came. */
  readonly text: string
}

/** What goes back, before it is cut into chunks. */
export interface Reply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Body
  /** Why the request was refused; absent when the script answered. */
  readonly rejection?: Rejection | undefined
  /** The connection breaks after the bytes, or, with status 0, before the head. */
  readonly breaks?: boolean | undefined
}
