/**
 * Two texts line by line: `- ` what was expected, `+ ` what came, two blanks before what is equal. Longest common subsequence; meant for
 * skeletons and event lists of some hundred lines.
 */
export function lineDiff(expected: string, got: string): string {
  const left = expected.split('\n')
  const right = got.split('\n')
  const lengths = commonLengths(left, right)
  const lines: string[] = []
  let row = 0
  let column = 0
  while (row < left.length || column < right.length) {
    const skipLeft = lengths[row + 1]?.[column] ?? -1
    const skipRight = lengths[row]?.[column + 1] ?? -1
    if (row < left.length && column < right.length && left[row] === right[column]) {
      lines.push(`  ${left[row]}`)
      row++
      column++
    } else if (row < left.length && skipLeft >= skipRight) lines.push(`- ${left[row++]}`)
    else lines.push(`+ ${right[column++]}`)
  }
  return lines.join('\n')
}

/** `table[row][column]`: length of the longest common subsequence of what follows. */
function commonLengths(left: readonly string[], right: readonly string[]): readonly (readonly number[])[] {
  const table = Array.from({ length: left.length + 1 }, () => Array.from({ length: right.length + 1 }, () => 0))
  for (let row = left.length - 1; row >= 0; row--) {
    for (let column = right.length - 1; column >= 0; column--) {
      const below = table[row + 1]?.[column] ?? 0
      const beside = table[row]?.[column + 1] ?? 0
      const diagonal = table[row + 1]?.[column + 1] ?? 0
      const cells = table[row]
      if (cells !== undefined) cells[column] = left[row] === right[column] ? diagonal + 1 : Math.max(below, beside)
    }
  }
  return table
}
