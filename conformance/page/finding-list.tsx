import type { CaseReport, Report } from '@steploop/conformance'
import { briefly, failureGroups, type FailureGroup } from '../src/report/failure-groups.ts'
import { counted, verdictWords } from './words.ts'

/** More are found with the filters. */
const listed = 8

export interface FindingListProps {
  readonly report: Report
  readonly onOpen: (address: string) => void
}

/** What nobody announced, first of all, each failure once with the cases that show it; nothing when all is as expected. */
export function FindingList({ report, onOpen }: FindingListProps) {
  const groups = failureGroups(report.cases)
  if (groups.length === 0 && report.problems.length === 0) return undefined
  const left = new Set(groups.slice(listed).map(({ check }) => check.id))
  return (
    <section class="findings" aria-labelledby="findings">
      <h2 id="findings">What is unexpected</h2>
      <ul>
        {report.problems.map(({ message }) => (
          <li class="problem">{message}</li>
        ))}
        {groups.slice(0, listed).map((group) => (
          <li key={group.check.address}>
            <Finding group={group} onOpen={onOpen} />
          </li>
        ))}
      </ul>
      {left.size > 0 && (
        <p class="faint">
          and {counted(groups.length - listed, 'failure')} more, of {[...left].map((id) => `#${id}`).join(', ')}: red in
          the matrix
        </p>
      )}
    </section>
  )
}

interface FindingProps {
  readonly group: FailureGroup
  readonly onOpen: (address: string) => void
}

function Finding({ group, onOpen }: FindingProps) {
  const { check, cases } = group
  const [first, ...others] = cases
  const { sign, word } = verdictWords[check.verdict]
  return (
    <div class={`finding ${check.verdict}`}>
      <p>
        <span class="sign" aria-hidden="true">
          {sign}
        </span>{' '}
        <span class="hidden">{word}: </span>
        <strong class="checks">#{check.id}</strong> <span class="message">{briefly(group)}</span>
      </p>
      <div class="where">
        <OpenCase one={first} onOpen={onOpen} />
        {others.length > 0 && (
          <details>
            <summary>and {counted(others.length, 'case')} like it</summary>
            {others.map((one) => (
              <OpenCase key={one.address} one={one} onOpen={onOpen} />
            ))}
          </details>
        )}
      </div>
    </div>
  )
}

function OpenCase({ one: { address }, onOpen }: { readonly one: CaseReport } & Pick<FindingProps, 'onOpen'>) {
  return (
    <button type="button" class="link" onClick={() => onOpen(address)}>
      {address}
    </button>
  )
}
