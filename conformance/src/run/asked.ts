import type { Asked } from '../report-schema.ts'
import { stressors } from '../stress/index.ts'
import type { Subject } from '../subject.ts'
import type { ConformanceOptions } from './conformance-options.ts'

/** The options that confine a run of these subjects, or widen it; `undefined` for an ordinary run of everything. */
export function askedOf(
  subjects: readonly Subject[],
  options: Pick<ConformanceOptions, keyof Asked>,
): Asked | undefined {
  const { only = [], scenario = [], mode, stress, full } = options
  // To name all of them filters nothing.
  const isFewer = only.length > 0 && subjects.some(({ name }) => !only.includes(name))
  const asked: Asked = {
    ...(isFewer && { only: [...only] }),
    ...(scenario.length > 0 && { scenario: [...scenario] }),
    ...(mode !== undefined && { mode }),
    ...(stress !== undefined && { stress: [...stress] }),
    ...(full === true && { full }),
  }
  return Object.keys(asked).length === 0 ? undefined : asked
}

/** Whether every case and check ran that an ordinary or a `full` run has: only then a line that names none of them is wrong. */
export function isWhole({ only, scenario, mode, stress }: Asked = {}): boolean {
  return [only, scenario, mode, stress].every((filter) => filter === undefined)
}

/** Checks that only a `full` run makes, when this was none. */
export function leftOut({ full }: Asked = {}): readonly string[] {
  return full === true ? [] : stressors.filter(({ onlyInFull }) => onlyInFull === true).map(({ id }) => id)
}
