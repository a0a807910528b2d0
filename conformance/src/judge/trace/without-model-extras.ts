/**
 * A skeleton without what real models add of their own accord: a text before calls, and reasoning. A simulated model says exactly what
 * its script says; a real one does not, so recordings of it are held against the golden skeleton without both.
 */
export function withoutModelExtras(skeleton: string): string {
  const lines = skeleton.split('\n')
  return lines.filter((line, index) => !isModelExtra(line, lines.slice(index + 1))).join('\n')
}

function isModelExtra(line: string, rest: readonly string[]): boolean {
  if (line === '    reasoning') return true
  if (line !== '    text') return false
  const end = rest.findIndex((next) => !next.startsWith('    '))
  return rest.slice(0, end === -1 ? rest.length : end).some((next) => next.startsWith('    call '))
}
