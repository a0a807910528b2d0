import { useState } from 'preact/hooks'
import { DiffLines } from './diff-lines.tsx'
import { foldEqual } from './fold-equal.ts'

/** A diff in which most lines are equal: those far from a change are folded until asked for. */
export function RequestDiff({ diff, label }: { readonly diff: string; readonly label: string }) {
  const [isWhole, setWhole] = useState(false)
  const folded = foldEqual(diff)
  return (
    <>
      <DiffLines text={isWhole ? diff : folded} label={label} />
      {folded !== diff && (
        <button type="button" class="plain" aria-pressed={isWhole} onClick={() => setWhole(!isWhole)}>
          All lines
        </button>
      )}
    </>
  )
}
