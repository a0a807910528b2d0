interface EventList {
  /** What these events are, in a few words. */
  readonly title: string
  readonly events: readonly unknown[]
}

const linesBefore = 2
const linesAfter = 3
const columnWidth = 58

/** Two lists of events side by side around their first difference, which `>` marks. `''` when they are equal. */
function sideBySide(left: EventList, right: EventList): string {
  const [expected, got] = [left, right].map(({ events }) => events.map((event) => JSON.stringify(event)))
  const longest = Math.max(expected?.length ?? 0, got?.length ?? 0)
  const at = Array.from({ length: longest }, (_, index) => index).find((index) => expected?.[index] !== got?.[index])
  if (at === undefined) return ''
  const from = Math.max(0, at - linesBefore)
  const to = Math.min(longest, at + linesAfter + 1)
  const skip = commonStart(expected?.[at] ?? '', got?.[at] ?? '')
  const rows = Array.from({ length: to - from }, (_, row) => {
    const index = from + row
    const cells = [expected, got].map((texts) => cell(texts?.[index], index === at ? skip : 0))
    const mark = index === at ? '>' : ' '
    return `${mark} ${String(index + 1).padStart(4)} ${(cells[0] ?? '').padEnd(columnWidth)} | ${cells[1] ?? ''}`.trimEnd()
  })
  const more = longest > to ? [`       … ${longest - to} more`] : []
  return [`       ${left.title.padEnd(columnWidth)} | ${right.title}`, ...rows, ...more].join('\n')
}

/** An event without what says nothing, cut to the width; from around the first difference when that lies beyond it. */
function cell(text: string | undefined, differsAt: number): string {
  if (text === undefined) return '(nothing)'
  if (text.length <= columnWidth) return text
  if (differsAt < columnWidth - 8) return `${text.slice(0, columnWidth - 1)}…`
  const from = Math.min(differsAt - 20, Math.max(0, text.length - columnWidth + 16))
  const type = /^\{"type":"([^"]*)"/.exec(text)?.[1] ?? ''
  return `${type} …${text.slice(from, from + columnWidth - type.length - 3)}…`
}

function commonStart(left: string, right: string): number {
  let at = 0
  while (at < left.length && left[at] === right[at]) at++
  return at
}

/** What two deliveries of one turn gave, side by side, with what they threw. */
export function compareOutcomes(left: OutcomeList, right: OutcomeList): string {
  const thrown =
    left.error === right.error && left.message === right.message
      ? []
      : [`${right.title} throws ${reported(right)}; ${left.title} throws ${reported(left)}`]
  return [sideBySide(left, right), ...thrown].filter((text) => text !== '').join('\n')
}

interface OutcomeList extends EventList {
  readonly error: string | undefined
  readonly message: string | undefined
}

function reported({ error, message }: OutcomeList): string {
  return error === undefined ? 'nothing' : `'${error}' (${(message ?? '').slice(0, 160)})`
}
