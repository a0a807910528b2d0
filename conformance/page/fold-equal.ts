/** Equal lines that stay on each side of a change. */
const context = 4

/** A line diff with each longer run of equal lines as one line that counts them. */
export function foldEqual(diff: string): string {
  const lines = diff.split('\n')
  const changed = lines.flatMap((line, index) => (/^[-+] /.test(line) ? [index] : []))
  const stays = (index: number): boolean => changed.some((at) => Math.abs(at - index) <= context)
  const shown: string[] = []
  let hidden = 0
  const flush = (): void => {
    if (hidden > 0) shown.push(`⋯ ${hidden} equal ${hidden === 1 ? 'line' : 'lines'}`)
    hidden = 0
  }
  for (const [index, line] of lines.entries()) {
    if (!stays(index)) {
      hidden++
      continue
    }
    flush()
    shown.push(line)
  }
  flush()
  return shown.join('\n')
}
