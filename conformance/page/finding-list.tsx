import type { CaseReport, Report } from '@steploop/conformance'
import { verdictWords } from './words.ts'

/** More are found with the filters. */
const listed = 8

export interface FindingListProps {
  readonly report: Report
  readonly onOpen: (address: string) => void
}

/** What nobody announced, first of all; nothing when all is as expected. */
export function FindingList({ report, onOpen }: FindingListProps) {
  const red = report.cases.filter(({ verdict }) => verdictWords[verdict].unexpected)
  if (red.length === 0 && report.problems.length === 0) return undefined
  return (
    <section class="findings" aria-labelledby="findings">
      <h2 id="findings">What is unexpected</h2>
      <ul>
        {report.problems.map(({ message }) => (
          <li class="problem">{message}</li>
        ))}
        {red.slice(0, listed).map((one) => (
          <li>
            <Finding one={one} onOpen={onOpen} />
          </li>
        ))}
      </ul>
      {red.length > listed && <p class="faint">and {red.length - listed} more, red in the matrix</p>}
    </section>
  )
}

function Finding({ one, onOpen }: { readonly one: CaseReport; readonly onOpen: (address: string) => void }) {
  const { sign, word } = verdictWords[one.verdict]
  const red = one.checks.filter(({ verdict }) => verdictWords[verdict].unexpected)
  const message = red[0]?.failures[0]?.message.split('\n')[0] ?? ''
  return (
    <button type="button" class={`finding ${one.verdict}`} onClick={() => onOpen(one.address)}>
      <span class="sign" aria-hidden="true">
        {sign}
      </span>
      <span>
        <strong>{one.address}</strong> <span class="hidden">{word}: </span>
        <span class="checks">{red.map(({ id }) => `#${id}`).join(' ')}</span>
      </span>
      <span class="message">{message}</span>
    </button>
  )
}
