import { HarnessError } from '../harness-error.ts'
import { stressors } from './index.ts'
import type { Stressor } from './stressor.ts'

/** A stressor to run, with one variant of it or with all. */
export interface StressJob {
  readonly stressor: Stressor
  readonly variant: string | undefined
}

/**
 * What to run from what was asked for, `rechunk` or `rechunk@2/120`. By default all, the slow ones with `full` only.
 *
 * @throws HarnessError `usage` for a stressor that there is not
 */
export function stressJobs(asked: {
  readonly stress?: readonly string[] | undefined
  readonly full?: boolean | undefined
}): readonly StressJob[] {
  if (asked.stress === undefined) {
    const chosen = stressors.filter(({ onlyInFull }) => asked.full === true || onlyInFull !== true)
    return chosen.map((stressor) => ({ stressor, variant: undefined }))
  }
  return asked.stress.map((text) => {
    const at = text.indexOf('@')
    const id = at === -1 ? text : text.slice(0, at)
    const stressor = stressors.find((known) => known.id === id)
    if (stressor !== undefined) return { stressor, variant: at === -1 ? undefined : text.slice(at + 1) }
    const ids = stressors.map((known) => known.id).join(', ')
    throw new HarnessError('usage', `There is no stressor '${id}'. There are: ${ids}.`)
  })
}
