import type { PageFinding, PageReport } from '@steploop/conformance/cli'
import { counted, verdictWords } from './words.ts'

/** More are found with the filters. */
const listed = 8

export interface FindingListProps {
  readonly report: PageReport
  readonly onOpen: (address: string) => void
}

/** What is unexpected, first of all, each failure once with the cases that show it; nothing when all is as expected. */
export function FindingList({ report: { findings, problems }, onOpen }: FindingListProps) {
  if (findings.length === 0 && problems.length === 0) return undefined
  const left = new Set(findings.slice(listed).map(({ check }) => check))
  return (
    <section class="findings" aria-labelledby="findings">
      <h2 id="findings">What is unexpected</h2>
      <ul>
        {problems.map(({ message }) => (
          <li class="problem">{message}</li>
        ))}
        {findings.slice(0, listed).map((finding) => (
          <li>
            <Finding finding={finding} onOpen={onOpen} />
          </li>
        ))}
      </ul>
      {left.size > 0 && (
        <p class="faint">
          and {counted(findings.length - listed, 'failure')} more, of {[...left].map((id) => `#${id}`).join(', ')}: red
          in the matrix
        </p>
      )}
    </section>
  )
}

interface FindingProps {
  readonly finding: PageFinding
  readonly onOpen: (address: string) => void
}

function Finding({ finding, onOpen }: FindingProps) {
  const { check, verdict, message, cases } = finding
  const [first = '', ...others] = cases
  const { sign, word } = verdictWords[verdict]
  return (
    <div class={`finding ${verdict}`}>
      <p>
        <span class="sign" aria-hidden="true">
          {sign}
        </span>{' '}
        <span class="hidden">{word}: </span>
        <strong class="checks">#{check}</strong> <span class="message">{message}</span>
      </p>
      <div class="where">
        <OpenCase address={first} onOpen={onOpen} />
        {others.length > 0 && (
          <details>
            <summary>and {counted(others.length, 'case')} like it</summary>
            {others.map((address) => (
              <OpenCase key={address} address={address} onOpen={onOpen} />
            ))}
          </details>
        )}
      </div>
    </div>
  )
}

function OpenCase({ address, onOpen }: { readonly address: string } & Pick<FindingProps, 'onOpen'>) {
  return (
    <button type="button" class="link" onClick={() => onOpen(address)}>
      {address}
    </button>
  )
}
