import type { Failure } from '../check.ts'
import type { CaseReport, Report } from '../report-schema.ts'

/** How the failure begins that says that the file is not there; such failures are all alike. */
export const noCassette = 'there is no cassette'

export interface MissingCassettes {
  readonly subject: string
  readonly cases: readonly CaseReport[]
  /** All of them in one sentence, with the command that records them. */
  readonly message: string
}

/** Fewer are told one by one. */
const many = 3
const named = 3

/** Subjects of which many cassettes are missing: hundreds of failures that all say the same, told once each. */
export function missingCassettes({ cases, subjects }: Report): readonly MissingCassettes[] {
  return subjects.flatMap(({ name }) => {
    const own = cases.filter(({ subject }) => subject === name)
    const without = own.filter(({ checks }) => checks.some(({ failures }) => failures.some(isMissingCassette)))
    if (without.length < many) return []
    const first = without.slice(0, named).map(({ scenario, mode }) => `${scenario}/${mode}`)
    const missing = without[0]?.checks.flatMap(({ failures }) => failures.filter(isMissingCassette))
    const from = missing?.some(({ message }) => message.includes('record --simulator')) ? ' --simulator' : ''
    const more = without.length > named ? ` and ${without.length - named} more` : ''
    const message = `${name}: ${without.length} of ${own.length} cassettes are not there (${first.join(', ')}${more}). Record them: steploop record${from} --only ${name}`
    return [{ subject: name, cases: without, message }]
  })
}

function isMissingCassette({ message }: Failure): boolean {
  return message.startsWith(noCassette)
}
