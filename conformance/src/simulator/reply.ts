import type { Body } from '../wires/simulate/body-bytes.ts'
import type { Rejection } from '../wires/simulate/wire-simulation.ts'

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
