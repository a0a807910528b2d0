/** What became of one runtime x adapter x mode. */
export interface Cell {
  readonly runtime: string
  readonly adapter: string
  readonly mode: string
  /** `missing`: it could not be tried. */
  readonly verdict: 'ok' | 'failed' | 'missing'
  /** Why, unless `ok`. */
  readonly problem?: string | undefined
  /** What the runtime said, where it did. */
  readonly answer?: unknown
}

/** Adapters and modes downwards, runtimes across; below, every problem once, with its number. */
export function printTable(cells: readonly Cell[]): string {
  const runtimes = [...new Set(cells.map(({ runtime }) => runtime))]
  const problems = [...new Set(cells.flatMap(({ problem }) => problem ?? []))]
  const word = ({ verdict, problem }: Cell): string =>
    problem === undefined ? verdict : `${verdict} [${problems.indexOf(problem) + 1}]`
  const table = [['', ...runtimes]]
  for (const [title, row] of Map.groupBy(cells, ({ adapter, mode }) => `${adapter} ${mode}`)) {
    table.push([title, ...row.map(word)])
  }
  const widths = ['', ...runtimes].map((_, column) => Math.max(...table.map((line) => line[column]?.length ?? 0)))
  const lines = table.map((line) => line.map((entry, column) => entry.padEnd(widths[column] ?? 0)).join('  '))
  const notes = problems.map((problem, index) => `[${index + 1}] ${problem}`)
  return [...lines.map((line) => line.trimEnd()), ...notes].join('\n')
}
