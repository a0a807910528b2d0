/** The cell to which a key leads from the one that has the focus; `undefined` when the key means something else, or nothing is there. */
export function matrixTarget(event: KeyboardEvent): HTMLElement | undefined {
  const cell = event.target instanceof Element ? event.target.closest('td') : null
  const row = cell?.parentElement
  if (cell === null || !(row instanceof HTMLTableRowElement)) return undefined
  switch (event.key) {
    case 'ArrowLeft':
      return buttonsOf(row).findLast((button) => columnOf(button) < cell.cellIndex)
    case 'ArrowRight':
      return buttonsOf(row).find((button) => columnOf(button) > cell.cellIndex)
    case 'Home':
      return buttonsOf(row)[0]
    case 'End':
      return buttonsOf(row).at(-1)
    case 'ArrowUp':
      return inColumn(row, cell.cellIndex).before
    case 'ArrowDown':
      return inColumn(row, cell.cellIndex).after
    default:
      return undefined
  }
}

function buttonsOf(row: HTMLTableRowElement): readonly HTMLElement[] {
  return [...row.querySelectorAll('button')]
}

function columnOf(button: Element): number {
  return button.closest('td')?.cellIndex ?? -1
}

/** The nearest cells above and below; rows may have gaps. */
function inColumn(
  row: HTMLTableRowElement,
  column: number,
): { readonly before?: HTMLElement; readonly after?: HTMLElement } {
  const rows = [...(row.closest('table')?.rows ?? [])]
  const at = (one: HTMLTableRowElement): HTMLElement | undefined =>
    one.cells[column]?.querySelector('button') ?? undefined
  const position = rows.indexOf(row)
  const before = rows.slice(0, position).findLast((one) => at(one) !== undefined)
  const after = rows.slice(position + 1).find((one) => at(one) !== undefined)
  const [above, below] = [before && at(before), after && at(after)]
  return { ...(above && { before: above }), ...(below && { after: below }) }
}
