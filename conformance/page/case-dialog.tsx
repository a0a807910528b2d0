import type { Report } from '@steploop/conformance'
import type { CaseReport } from '@steploop/conformance/cli'
import { useEffect, useRef, useState } from 'preact/hooks'
import { CaseChecks } from './case-checks.tsx'
import { Timeline } from './timeline.tsx'
import { ageText, secondsText, verdictWords } from './words.ts'

export interface CaseDialogProps {
  readonly report: Report
  readonly details: Readonly<Record<string, string>>
  /** In the order in which next and previous go. */
  readonly shown: readonly CaseReport[]
  readonly open: string
  readonly onOpen: (address: string) => void
}

/** All about one case, over the page; the browser's own dialog keeps the focus inside and closes on Escape. */
export function CaseDialog({ report, details, shown, open, onOpen }: CaseDialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const one = report.cases.find(({ address }) => address === open)
  useEffect(() => {
    if (one === undefined) dialog.current?.close()
    else if (dialog.current?.open === false) dialog.current.showModal()
    dialog.current?.scrollTo(0, 0)
  }, [one])
  return (
    <dialog
      ref={dialog}
      class="case"
      aria-labelledby="case"
      onClose={() => onOpen('')}
      onClick={(event) => event.target === event.currentTarget && event.currentTarget.close()}
    >
      {one !== undefined && (
        <article class="inside">
          <CaseBar one={one} shown={shown} onOpen={onOpen} onClose={() => dialog.current?.close()} />
          <CaseFacts one={one} report={report} />
          <CaseChecks checks={one.checks} />
          <Timeline one={one} packed={details[one.address]} />
        </article>
      )}
    </dialog>
  )
}

interface CaseBarProps extends Pick<CaseDialogProps, 'shown' | 'onOpen'> {
  readonly one: CaseReport
  readonly onClose: () => void
}

function CaseBar({ one, shown, onOpen, onClose }: CaseBarProps) {
  const { sign, word } = verdictWords[one.verdict]
  const position = shown.findIndex(({ address }) => address === one.address)
  const [before, after] = [position > 0 ? shown[position - 1] : undefined, shown[position + 1]]
  return (
    <header class="bar">
      <p class={`badge ${one.verdict}`}>
        <span aria-hidden="true">{sign}</span> {word}
      </p>
      <h2 id="case" tabIndex={-1}>
        {one.subject}
        <span class="faint"> / </span>
        {one.scenario}
        <span class="faint"> / </span>
        {one.mode}
      </h2>
      <div class="moves">
        <button
          type="button"
          class="plain"
          disabled={before === undefined}
          onClick={() => onOpen(before?.address ?? '')}
        >
          <span aria-hidden="true">↑</span> Previous
        </button>
        <button
          type="button"
          class="plain"
          disabled={position < 0 || after === undefined}
          onClick={() => onOpen(after?.address ?? '')}
        >
          <span aria-hidden="true">↓</span> Next
        </button>
        <button type="button" class="plain" onClick={onClose}>
          Close
        </button>
      </div>
    </header>
  )
}

function CaseFacts({ one, report }: { readonly one: CaseReport; readonly report: Report }) {
  const { origin, reason, scenario, durationMs, repeat } = one
  const title = report.scenarios.find(({ id }) => id === scenario)?.title
  const subject = report.subjects.find(({ name }) => name === one.subject)
  return (
    <section aria-label="About the case">
      <p>{title}</p>
      <dl class="facts">
        {reason !== undefined && (
          <>
            <dt>Reason</dt>
            <dd>{reason}</dd>
          </>
        )}
        <dt>Adapter</dt>
        <dd>
          {subject?.wire}, {subject?.model}
          {subject?.unverified !== undefined && <p class="faint">unverified by traffic: {subject.unverified}</p>}
        </dd>
        {origin !== undefined && (
          <>
            <dt>Cassette</dt>
            <dd>
              {origin.kind}, {origin.date} <span class="faint">({ageText(origin.date, report.date)})</span>, by{' '}
              {origin.by}
            </dd>
          </>
        )}
        <dt>Time</dt>
        <dd>{secondsText(durationMs)}</dd>
        <dt>Repeat</dt>
        <dd>
          <CopyCommand command={repeat} />
        </dd>
      </dl>
    </section>
  )
}

/** A command and a button that copies it; where that is not allowed, the command is selected. */
function CopyCommand({ command }: { readonly command: string }) {
  const [copied, setCopied] = useState('')
  const code = useRef<HTMLElement>(null)
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(command)
      setCopied(command)
    } catch {
      if (code.current !== null) getSelection()?.selectAllChildren(code.current)
    }
  }
  return (
    <span class="command">
      <code ref={code}>{command}</code>{' '}
      <button type="button" class="plain" onClick={() => void copy()}>
        Copy
      </button>{' '}
      <span role="status" class="faint">
        {copied === command ? 'copied' : ''}
      </span>
    </span>
  )
}
