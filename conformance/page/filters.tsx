import type { Report, Verdict } from '@steploop/conformance'
import { useEffect, useRef } from 'preact/hooks'
import type { ChangeView } from './use-view.ts'
import { wholeView, type View } from './view.ts'
import { verdicts, verdictWords } from './words.ts'

export interface FiltersProps {
  readonly report: Report
  readonly view: View
  readonly onChange: ChangeView
}

export function Filters({ report, view, onChange }: FiltersProps) {
  const groups = [...new Set(report.scenarios.flatMap(({ group }) => group ?? []))]
  const isWhole = view.text + view.adapter + view.group + view.mode === '' && view.verdicts.length === 0
  return (
    <search class="filters" aria-label="Filters">
      <TextFilter text={view.text} onChange={onChange} />
      <Choice
        label="Adapter"
        value={view.adapter}
        options={report.subjects.map(({ name }) => name)}
        onChange={(adapter) => onChange({ adapter })}
      />
      <Choice label="Group" value={view.group} options={groups} onChange={(group) => onChange({ group })} />
      <Choice label="Mode" value={view.mode} options={['generate', 'stream']} onChange={(mode) => onChange({ mode })} />
      <VerdictFilter report={report} chosen={view.verdicts} onChange={onChange} />
      <button
        type="button"
        class="plain"
        disabled={isWhole}
        onClick={() => onChange({ ...wholeView, open: view.open })}
      >
        Clear
      </button>
    </search>
  )
}

function TextFilter({ text, onChange }: { readonly text: string; readonly onChange: ChangeView }) {
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
  readonly onChange: (value: string) => void
}

function Choice({ label, value, options, onChange }: ChoiceProps) {
  return (
    <label class="field">
      <span>{label}</span>
      <select value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        <option value="">all</option>
        {options.map((option) => (
          <option key={option} value={option}>
            {option}
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
