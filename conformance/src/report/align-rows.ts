/** The cells of a table, as wide as the widest of their column: the first column to the left, the others to the right. */
export function alignRows(
  rows: readonly (readonly string[])[],
  isNumber: (column: number) => boolean = (column) => column > 0,
): readonly (readonly string[])[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  return rows.map((row) =>
    row.map((cell, column) =>
      isNumber(column) ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0),
    ),
  )
}
