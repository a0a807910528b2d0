import { z } from 'zod'

/** The message by which `findShapeFault` tells a missing integer from a missing number; zod calls both a number. */
export const integerMark = 'integer'

/** An integer between two limits, both allowed. */
export function integer(minimum?: number, maximum?: number): z.ZodNumber {
  const plain: z.ZodNumber = z.int({ error: integerMark })
  const atLeast = minimum === undefined ? plain : plain.min(minimum)
  return maximum === undefined ? atLeast : atLeast.max(maximum)
}
