import type { CheckReport } from '@steploop/conformance/cli'
import { DiffLines } from './diff-lines.tsx'
import { counted, verdictWords } from './words.ts'

/** The checks of a case: those that tell something first and open, those that hold folded. */
export function CaseChecks({ checks }: { readonly checks: readonly CheckReport[] }) {
  const quiet = checks.filter(({ verdict }) => verdict === 'pass' || verdict === 'not-applicable')
  const shown = checks.filter((check) => !quiet.includes(check))
  const variants = quiet.reduce((sum, check) => sum + (check.variants ?? 0), 0)
  const tried = variants === 0 ? '' : `, ${counted(variants, 'variant')} of stressors`
  if (checks.length === 0) return undefined
  return (
    <section aria-labelledby="checks">
      <h3 id="checks">Checks</h3>
      {shown.map((check) => (
        <ShownCheck key={check.id} check={check} />
      ))}
      {quiet.length > 0 && (
        <details class="block">
          <summary>
            {counted(quiet.length, 'check holds', 'checks hold')}
            {tried}
          </summary>
          <ul class="quiet">
            {quiet.map((check) => (
              <QuietCheck key={check.id} check={check} />
            ))}
          </ul>
        </details>
      )}
    </section>
  )
}

function QuietCheck({ check }: { readonly check: CheckReport }) {
  const { sign, word } = verdictWords[check.verdict]
  return (
    <li>
      <span class={`sign ${check.verdict}`} aria-hidden="true">
        {sign}
      </span>
      <span>
        <span class="hidden">{word}: </span>
        <code>#{check.id}</code> {check.sentence}
        {check.reason !== undefined && <span class="faint"> {check.reason}</span>}
        {check.variants !== undefined && <span class="faint"> {counted(check.variants, 'variant')}</span>}
      </span>
    </li>
  )
}

function ShownCheck({ check }: { readonly check: CheckReport }) {
  const { sign, word } = verdictWords[check.verdict]
  return (
    <div class={`finding-box ${check.verdict}`}>
      <p>
        <span class="sign" aria-hidden="true">
          {sign}
        </span>{' '}
        <strong>
          <code>#{check.id}</code>
        </strong>{' '}
        {check.sentence} <span class="faint">{word}</span>
      </p>
      {check.reason !== undefined && <p>{check.reason}</p>}
      {check.failures.map(({ message, where }) => (
        <>
          {where !== undefined && <p class="faint">{where}</p>}
          <DiffLines text={message} label={`Failure of ${check.id}`} />
        </>
      ))}
    </div>
  )
}
