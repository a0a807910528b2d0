import type { Report } from '@steploop/conformance'
import type { Verdict } from '@steploop/conformance/cli'
import { useEffect, useRef } from 'preact/hooks'
import type { ChangeView } from './use-view.ts'
import { wholeView, type View } from './view.ts'
import { verdicts, verdictWords } from './words.ts'

export interface FiltersProps {
  readonly report: Report
  readonly view: View
  /** One adapter is always chosen, and the other filters are folded. */
  readonly isNarrow: boolean
  readonly onChange: ChangeView
}

export function Filters(props: FiltersProps) {
  const { text, group, mode, verdicts: chosen } = props.view
  const inUse = [text, group, mode].filter((value) => value !== '').length + chosen.length
  if (!props.isNarrow) {
    return (
      <search class="filters" aria-label="Filters">
        <TextFilter {...props} />
        <AdapterFilter {...props} />
        <OtherFilters {...props} />
      </search>
    )
  }
  return (
    <search aria-label="Filters">
      <AdapterFilter {...props} />
      <details class="more">
        <summary>Filters{inUse === 0 ? '' : ` (${inUse} in use)`}</summary>
        <div class="filters">
          <TextFilter {...props} />
          <OtherFilters {...props} />
        </div>
      </details>
    </search>
  )
}

function AdapterFilter({ report, view, isNarrow, onChange }: FiltersProps) {
  const reds = Map.groupBy(
    report.cases.filter(({ verdict }) => verdictWords[verdict].unexpected),
    ({ subject }) => subject,
  )
  return (
    <Choice
      label="Adapter"
      value={view.adapter}
      options={report.subjects.map(({ name }) => name)}
      hasAll={!isNarrow}
      noteOf={(name) => (reds.has(name) ? ` (${reds.get(name)?.length} red)` : '')}
      onChange={(adapter) => onChange({ adapter })}
    />
  )
}

function OtherFilters({ report, view, isNarrow, onChange }: FiltersProps) {
  const groups = [...new Set(report.scenarios.flatMap(({ group }) => group ?? []))]
  const used = view.text + view.group + view.mode + (isNarrow ? '' : view.adapter)
  return (
    <>
      <Choice label="Group" value={view.group} options={groups} onChange={(group) => onChange({ group })} />
      <Choice label="Mode" value={view.mode} options={['generate', 'stream']} onChange={(mode) => onChange({ mode })} />
      <VerdictFilter report={report} chosen={view.verdicts} onChange={onChange} />
      <button
        type="button"
        class="plain"
        disabled={used === '' && view.verdicts.length === 0}
        onClick={() => onChange({ ...wholeView, open: view.open, adapter: isNarrow ? view.adapter : '' })}
      >
        Clear
      </button>
    </>
  )
}

function TextFilter({ view: { text }, onChange }: Pick<FiltersProps, 'view' | 'onChange'>) {
  const input = useRef<HTMLInputElement>(null)
  useEffect(() => {
    const focus = (event: KeyboardEvent): void => {
      const isTyping = event.target instanceof HTMLElement && event.target.matches('input, select, dialog *')
      if (event.key !== '/' || isTyping) return
      event.preventDefault()
      input.current?.focus()
    }
    addEventListener('keydown', focus)
    return () => removeEventListener('keydown', focus)
  }, [])
  return (
    <label class="field search">
      <span>Text</span>
      <input
        ref={input}
        type="search"
        value={text}
        placeholder="scenario, #check, message; press /"
        onInput={(event) => onChange({ text: event.currentTarget.value })}
      />
    </label>
  )
}

interface ChoiceProps {
  readonly label: string
  readonly value: string
  readonly options: readonly string[]
  /** Whether nothing may be chosen. Default: true. */
  readonly hasAll?: boolean | undefined
  /** What stands beside an option. Default: nothing. */
  readonly noteOf?: ((option: string) => string) | undefined
  readonly onChange: (value: string) => void
}

function Choice({ label, value, options, hasAll = true, noteOf, onChange }: ChoiceProps) {
  return (
    <label class="field">
      <span>{label}</span>
      <select value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        {hasAll && <option value="">all</option>}
        {options.map((option) => (
          <option key={option} value={option}>
            {option}
            {noteOf?.(option)}
          </option>
        ))}
      </select>
    </label>
  )
}

interface VerdictFilterProps {
  readonly report: Report
  readonly chosen: readonly Verdict[]
  readonly onChange: ChangeView
}

/** One switch per verdict that occurs; none pressed is all. */
function VerdictFilter({ report, chosen, onChange }: VerdictFilterProps) {
  const toggled = (verdict: Verdict): readonly Verdict[] =>
    chosen.includes(verdict) ? chosen.filter((one) => one !== verdict) : [...chosen, verdict]
  return (
    <div class="chips" role="group" aria-label="Verdicts">
      {verdicts
        .filter((verdict) => report.counts[verdict] > 0 || chosen.includes(verdict))
        .map((verdict) => (
          <button
            key={verdict}
            type="button"
            class={`chip ${verdict}`}
            aria-pressed={chosen.includes(verdict)}
            title={verdictWords[verdict].meaning}
            onClick={() => onChange({ verdicts: toggled(verdict) })}
          >
            <span class="sign" aria-hidden="true">
              {verdictWords[verdict].sign}
            </span>{' '}
            {verdictWords[verdict].word} <span class="number">{report.counts[verdict]}</span>
          </button>
        ))}
    </div>
  )
}
