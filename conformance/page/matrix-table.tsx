import type { Report } from '@steploop/conformance'
import type { CaseReport } from '@steploop/conformance/cli'
import { useMemo, useState } from 'preact/hooks'
import { matrixTarget } from './matrix-keys.ts'
import { variantsOf, type Matrix } from './view.ts'
import { brief, counted, verdictWords } from './words.ts'

export interface MatrixTableProps {
  readonly matrix: Matrix
  /** Why the wire format of an adapter is unverified, by name. */
  readonly unverified: ReadonlyMap<string, string>
  readonly shown: readonly CaseReport[]
  readonly onOpen: (address: string) => void
}

/** Scenarios by adapters and modes. One cell at a time is in the tab order; arrow keys move it. */
export function MatrixTable({ matrix, unverified, shown, onOpen }: MatrixTableProps) {
  const [current, setCurrent] = useState('')
  const cases = useMemo(() => new Map(shown.map((one) => [one.address, one])), [shown])
  if (shown.length === 0) return <p class="nothing">No case passes these filters.</p>
  const { columns, modes, groups } = matrix
  const stop = cases.has(current) ? current : (shown[0]?.address ?? '')
  return (
    <div
      class="matrix"
      onKeyDown={(event) => {
        const target = matrixTarget(event)
        if (target === undefined) return
        event.preventDefault()
        target.focus()
      }}
    >
      <table>
        <caption class="hidden">Verdicts by scenario, adapter and mode</caption>
        <MatrixHead columns={columns} modes={modes} unverified={unverified} />
        {groups.map(({ name, rows }) => (
          <tbody key={name}>
            {name !== '' && (
              <tr class="group">
                <th scope="rowgroup" colSpan={1 + columns.length * modes.length}>
                  <span>{name}</span>
                </th>
              </tr>
            )}
            {rows.map((row) => (
              <MatrixRow key={row.id} {...{ row, columns, modes, cases, stop, onOpen, onFocus: setCurrent }} />
            ))}
          </tbody>
        ))}
      </table>
    </div>
  )
}

type MatrixHeadProps = Pick<Matrix, 'columns' | 'modes'> & Pick<MatrixTableProps, 'unverified'>

function MatrixHead({ columns, modes, unverified }: MatrixHeadProps) {
  const short = { generate: 'gen', stream: 'str' } as const
  return (
    <thead>
      <tr>
        <th scope="col" rowSpan={2} class="corner">
          Scenario
        </th>
        {columns.map((name) => (
          <th key={name} scope="colgroup" colSpan={modes.length} class="adapter">
            {name}
            {unverified.has(name) && <abbr title={`unverified by traffic: ${unverified.get(name)}`}>*</abbr>}
          </th>
        ))}
      </tr>
      <tr>
        {columns.flatMap((name) =>
          modes.map((mode) => (
            <th key={`${name} ${mode}`} scope="col" class="mode">
              <abbr title={mode}>{short[mode]}</abbr>
            </th>
          )),
        )}
      </tr>
    </thead>
  )
}

interface RowProps extends Pick<Matrix, 'columns' | 'modes'> {
  readonly row: Report['scenarios'][number]
  readonly cases: ReadonlyMap<string, CaseReport>
  readonly stop: string
  readonly onOpen: (address: string) => void
  readonly onFocus: (address: string) => void
}

function MatrixRow({ row, columns, modes, cases, stop, onOpen, onFocus }: RowProps) {
  return (
    <tr>
      <th scope="row" title={row.title}>
        {row.id}
      </th>
      {columns.flatMap((name) =>
        modes.map((mode, index) => {
          const address = `${name}/${row.id}/${mode}`
          const one = cases.get(address)
          return (
            <td key={address} class={index === 0 ? 'first' : ''}>
              {one !== undefined && <Cell one={one} isStop={address === stop} onOpen={onOpen} onFocus={onFocus} />}
            </td>
          )
        }),
      )}
    </tr>
  )
}

interface CellProps extends Pick<RowProps, 'onOpen' | 'onFocus'> {
  readonly one: CaseReport
  readonly isStop: boolean
}

function Cell({ one, isStop, onOpen, onFocus }: CellProps) {
  const { address, subject, scenario, mode, verdict, reason } = one
  const { sign, word } = verdictWords[verdict]
  const variants = variantsOf(one)
  const tried = variants === 0 ? '' : `, ${counted(variants, 'variant')}`
  return (
    <button
      type="button"
      class={`cell ${verdict}`}
      tabIndex={isStop ? 0 : -1}
      aria-label={`${subject}, ${scenario}, ${mode}: ${word}${tried}`}
      title={`${address}: ${word}${reason === undefined ? '' : `, ${reason}`}${tried}`}
      onClick={() => onOpen(address)}
      onFocus={() => onFocus(address)}
    >
      <span class="sign">{sign}</span>
      {variants > 0 && <span class="variants">{brief(variants)}</span>}
    </button>
  )
}
