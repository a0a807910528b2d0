import * as fc from 'fast-check'
import type { LoopDraw } from './draw.ts'
import { plainDraws } from './testing.ts'

/** Middleware is drawn last, so that what is drawn before it stays what it was. */
export const loopDraws: fc.Arbitrary<LoopDraw> = fc
  .tuple(plainDraws, fc.boolean())
  .map(([draw, middleware]) => ({ ...draw, options: { ...draw.options, middleware } }))
