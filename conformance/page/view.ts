import type { Report } from '@steploop/conformance'
import type { CaseReport, Verdict } from '@steploop/conformance/cli'
import { verdicts, verdictWords } from './words.ts'

/** What the reader sees: the filters, and the case that is open. */
export interface View {
  readonly text: string
  readonly adapter: string
  readonly group: string
  readonly mode: string
  /** Empty: all. */
  readonly verdicts: readonly Verdict[]
  /** Address of a case. */
  readonly open: string
}

export const wholeView: View = { text: '', adapter: '', group: '', mode: '', verdicts: [], open: '' }

/** The view as the part of an address after `#`, so that it can be bookmarked and sent. */
export function viewHash(view: View): string {
  const parameters = new URLSearchParams()
  for (const name of ['text', 'adapter', 'group', 'mode', 'open'] as const) {
    if (view[name] !== '') parameters.set(name, view[name])
  }
  for (const verdict of view.verdicts) parameters.append('verdict', verdict)
  return `#${parameters.toString()}`
}

/** The other way; what is unknown is left out. */
export function viewOf(hash: string): View {
  const parameters = new URLSearchParams(hash.replace(/^#/, ''))
  const text = (name: string): string => parameters.get(name) ?? ''
  const chosen = parameters.getAll('verdict')
  return {
    text: text('text'),
    adapter: text('adapter'),
    group: text('group'),
    mode: text('mode'),
    verdicts: verdicts.filter((verdict) => chosen.includes(verdict)),
    open: text('open'),
  }
}

/** The view of one adapter, where there is room for no more: the chosen one, else the first with something unexpected, else the first. */
export function ofOneAdapter({ subjects, cases }: Report, view: View): View {
  if (view.adapter !== '') return view
  const red = new Set(cases.filter(({ verdict }) => verdictWords[verdict].unexpected).map(({ subject }) => subject))
  const adapter = subjects.find(({ name }) => red.has(name)) ?? subjects[0]
  return { ...view, adapter: adapter?.name ?? '' }
}

/** The cases that pass the filters. Every word of the text has to be in the address, the title or what is unexpected. */
export function shownCases(report: Report, view: View): readonly CaseReport[] {
  const scenarios = new Map(report.scenarios.map((scenario) => [scenario.id, scenario]))
  const words = view.text.toLowerCase().split(/\s+/).filter(Boolean)
  return report.cases.filter((one) => {
    const scenario = scenarios.get(one.scenario)
    if (view.adapter !== '' && one.subject !== view.adapter) return false
    if (view.mode !== '' && one.mode !== view.mode) return false
    if (view.group !== '' && (scenario?.group ?? '') !== view.group) return false
    if (view.verdicts.length > 0 && !view.verdicts.includes(one.verdict)) return false
    if (words.length === 0) return true
    const text = `${one.address} ${scenario?.title ?? ''} ${findings(one)}`.toLowerCase()
    return words.every((word) => text.includes(word))
  })
}

function findings({ checks }: CaseReport): string {
  return checks
    .filter(({ verdict }) => verdictWords[verdict].unexpected)
    .map(({ id, failures }) => `#${id} ${failures.map(({ message }) => message).join(' ')}`)
    .join(' ')
}

export interface Matrix {
  /** Names of adapters. */
  readonly columns: readonly string[]
  readonly modes: readonly CaseReport['mode'][]
  readonly groups: readonly { readonly name: string; readonly rows: Report['scenarios'] }[]
}

/** The rows and columns in which something is shown. */
export function matrixOf(report: Report, shown: readonly CaseReport[]): Matrix {
  const rows = report.scenarios.filter(({ id }) => shown.some(({ scenario }) => scenario === id))
  const names = [...new Set(rows.map(({ group }) => group ?? ''))]
  return {
    columns: report.subjects.map(({ name }) => name).filter((name) => shown.some(({ subject }) => subject === name)),
    modes: (['generate', 'stream'] as const).filter((mode) => shown.some((one) => one.mode === mode)),
    groups: names.map((name) => ({ name, rows: rows.filter(({ group }) => (group ?? '') === name) })),
  }
}

/** Variants that the stressors of a case tried. */
export function variantsOf({ checks }: CaseReport): number {
  return checks.reduce((sum, { variants }) => sum + (variants ?? 0), 0)
}
