import { rechunk } from './rechunk.ts'
import type { Stressor } from './stressor.ts'
import { truncate } from './truncate.ts'

/** Run over every case that passes, in this order. */
export const stressors: readonly Stressor[] = [rechunk, truncate]
