import type { Behaviour } from './behaviour.ts'
import { limits } from './catalogue/limits.ts'
import { loop } from './catalogue/loop.ts'

/** Everything that the loop was asked to do, in the order of the list that it comes from. */
export const catalogue: readonly Behaviour[] = [...loop, ...limits]
