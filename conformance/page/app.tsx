import type { Report } from '@steploop/conformance'
import type { PageData, PageReport } from '@steploop/conformance/cli'
import { useEffect, useMemo, useState } from 'preact/hooks'
import { CaseDialog } from './case-dialog.tsx'
import { Filters } from './filters.tsx'
import { FindingList } from './finding-list.tsx'
import { MatrixTable } from './matrix-table.tsx'
import { useView } from './use-view.ts'
import { matrixOf, ofOneAdapter, shownCases } from './view.ts'
import { counted, secondsText } from './words.ts'

/** The whole page. */
export function App({ report, details }: { readonly report: PageReport } & Pick<PageData, 'details'>) {
  const [asked, change] = useView()
  const isNarrow = useNarrow()
  const view = useMemo(() => (isNarrow ? ofOneAdapter(report, asked) : asked), [report, asked, isNarrow])
  const shown = useMemo(() => shownCases(report, view), [report, view])
  const matrix = useMemo(() => matrixOf(report, shown), [report, shown])
  const unverified = useMemo(() => unverifiedOf(report), [report])
  const open = (address: string): void => change({ open: address })
  return (
    <div class="page">
      <Heading report={report} />
      <main>
        <FindingList report={report} onOpen={open} />
        <Filters report={report} view={view} isNarrow={isNarrow} onChange={change} />
        <p class="faint shown" role="status">
          {shown.length} of {counted(report.cases.length, 'case')} shown
        </p>
        <p class="faint legend">
          The small number is how many variants the stressors tried. Arrow keys move between cases, Enter opens one.
        </p>
        <MatrixTable matrix={matrix} unverified={unverified} shown={shown} onOpen={open} />
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
        through {frontEnds.join(' and ')}. Cassettes: {originsOf(report)}. {suite.name} {suite.version}
        {date === undefined ? '' : `, ${date}`}.
      </p>
    </header>
  )
}

/** From whom the answers are that were judged: what a simulator says is no proof of what a provider does. */
function originsOf({ cases }: Report): string {
  const origins = Map.groupBy(
    cases.filter(({ origin }) => origin !== undefined),
    ({ origin }) => origin?.kind ?? '',
  )
  return [...origins].map(([kind, all]) => `${all.length} ${kind}`).join(', ') || 'none'
}

function AboutRun({ report }: { readonly report: Report }) {
  const parts = Object.entries(report.times).toSorted(([, one], [, other]) => other - one)
  return (
    <details class="about">
      <summary>About this run</summary>
      <dl class="facts">
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

/** Media query of narrow pages, as in the style sheet. */
const query = '(max-width: 40rem)'

/** Whether the page is as narrow as a phone. */
function useNarrow(): boolean {
  const [isNarrow, setNarrow] = useState(() => matchMedia(query).matches)
  useEffect(() => {
    const media = matchMedia(query)
    const read = (): void => setNarrow(media.matches)
    media.addEventListener('change', read)
    return () => media.removeEventListener('change', read)
  }, [])
  return isNarrow
}
