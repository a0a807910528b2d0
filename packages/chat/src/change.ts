/** Something that changes, and may be waited for. */
export interface Change {
  /** Rises with every change. */
  readonly count: number
  /** Nothing will change any more. */
  readonly isOver: boolean
  tell(): void
  end(): void
  /** Calls back once, when it has changed since that count; the returned function cancels it. */
  after(count: number, callback: () => void): () => void
}

export function createChange(): Change {
  const waiting = new Set<() => void>()
  let count = 0
  let isOver = false
  const tell = (): void => {
    count++
    const callbacks = [...waiting]
    waiting.clear()
    for (const callback of callbacks) callback()
  }
  return {
    get count() {
      return count
    },
    get isOver() {
      return isOver
    },
    tell,
    end() {
      isOver = true
      tell()
    },
    after(seen, callback) {
      if (seen === count) waiting.add(callback)
      else callback()
      return () => void waiting.delete(callback)
    },
  }
}
