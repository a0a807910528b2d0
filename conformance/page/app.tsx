import type { PageData, Report } from '@steploop/conformance'
import { useMemo } from 'preact/hooks'
import { CaseDialog } from './case-dialog.tsx'
import { Filters } from './filters.tsx'
import { FindingList } from './finding-list.tsx'
import { MatrixTable } from './matrix-table.tsx'
import { useView } from './use-view.ts'
import { matrixOf, shownCases } from './view.ts'
import { counted, secondsText } from './words.ts'

/** The whole page. */
export function App({ report, details }: { readonly report: Report } & Pick<PageData, 'details'>) {
  const [view, change] = useView()
  const shown = useMemo(() => shownCases(report, view), [report, view])
  const matrix = useMemo(() => matrixOf(report, shown), [report, shown])
  const unverified = useMemo(() => unverifiedOf(report), [report])
  const open = (address: string): void => change({ open: address })
  return (
    <div class="page">
      <Heading report={report} />
      <main>
        <FindingList report={report} onOpen={open} />
        <Filters report={report} view={view} onChange={change} />
        <p class="faint shown" role="status">
          {shown.length} of {counted(report.cases.length, 'case')} shown
        </p>
        <MatrixTable matrix={matrix} unverified={unverified} shown={shown} onOpen={open} />
        <p class="faint">
          The small number is how many variants the stressors tried. Arrow keys move between cases, Enter opens one.
        </p>
        {[...unverified].map(([name, reason]) => (
          <p key={name} class="faint">
            * unverified by traffic: {name}: {reason}
          </p>
        ))}
        <AboutRun report={report} />
      </main>
      <CaseDialog report={report} details={details} shown={shown} open={view.open} onOpen={open} />
    </div>
  )
}

function unverifiedOf({ subjects }: Report): ReadonlyMap<string, string> {
  return new Map(
    subjects.flatMap(({ name, unverified }): [string, string][] => (unverified ? [[name, unverified]] : [])),
  )
}

function Heading({ report }: { readonly report: Report }) {
  const { suite, date, frontEnds, cases, checks, variants, ok } = report
  return (
    <header class="heading">
      <h1>Conformance report</h1>
      <p class={ok ? 'outcome good' : 'outcome bad'}>
        <span aria-hidden="true">{ok ? '✓' : '✗'}</span> {ok ? 'Everything is as expected' : 'Something is unexpected'}
      </p>
      <p class="faint">
        {counted(cases.length, 'case')}, {counted(checks, 'check')}, {counted(variants, 'variant')} of stressors,
        through {frontEnds.join(' and ')}. {suite.name} {suite.version}
        {date === undefined ? '' : `, ${date}`}.
      </p>
    </header>
  )
}

function AboutRun({ report }: { readonly report: Report }) {
  const origins = new Map<string, number>()
  for (const { origin } of report.cases) if (origin) origins.set(origin.kind, (origins.get(origin.kind) ?? 0) + 1)
  const parts = Object.entries(report.times).toSorted(([, one], [, other]) => other - one)
  return (
    <details class="about">
      <summary>About this run</summary>
      <dl class="facts">
        <dt>Cassettes</dt>
        <dd>{[...origins].map(([kind, count]) => `${count} ${kind}`).join(', ') || 'none'}</dd>
        <dt>Time</dt>
        <dd>
          {secondsText(report.durationMs)} in all: {parts.map(([part, ms]) => `${part} ${secondsText(ms)}`).join(', ')}
        </dd>
        {report.subjects.map(({ name, wire, model }) => (
          <>
            <dt>{name}</dt>
            <dd>
              {wire}, {model}
            </dd>
          </>
        ))}
      </dl>
    </details>
  )
}
