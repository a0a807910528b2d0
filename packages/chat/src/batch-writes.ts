/** Characters after which a write is made although more may come in the same tick. */
const fullWrite = 64 * 1024

export interface Writes {
  /** One at a time. Rejects when the events do. */
  next(): Promise<IteratorResult<string, undefined>>
  /** Leaves the events; unlike that of a generator it does not wait for the next of them. */
  return(): Promise<unknown>
}

/** The texts of all events that come within one tick, joined. Nothing is asked of the events while nobody waits for the next write. */
export function batchWrites<Event>(events: AsyncIterable<Event>, textOf: (event: Event) => string): Writes {
  const iterator = events[Symbol.asyncIterator]()
  let text = ''
  let isDone = false
  let failure: { readonly error: unknown } | undefined
  let isAsking = false
  let flushing: ReturnType<typeof setTimeout> | undefined
  let reader: PromiseWithResolvers<IteratorResult<string, undefined>> | undefined

  const flush = (): void => {
    clearTimeout(flushing)
    flushing = undefined
    const waiting = reader
    reader = undefined
    if (failure !== undefined) waiting?.reject(failure.error)
    else waiting?.resolve(text === '' ? { done: true, value: undefined } : { done: false, value: text })
    text = ''
  }
  const proceed = (): void => {
    if (reader === undefined) return
    if (isDone || failure !== undefined || text.length >= fullWrite) return flush()
    if (text !== '') flushing ??= setTimeout(flush, 0)
    if (!isAsking) ask()
  }
  const fail = (error: unknown): void => {
    failure = { error }
    proceed()
  }
  const take = (result: IteratorResult<Event, unknown>): void => {
    isAsking = false
    try {
      if (result.done === true) isDone = true
      else text += textOf(result.value)
    } catch (error) {
      failure = { error }
    }
    proceed()
  }
  const ask = (): void => {
    isAsking = true
    try {
      iterator.next().then(take, fail)
    } catch (error) {
      fail(error)
    }
  }
  return {
    next() {
      reader = Promise.withResolvers()
      const { promise } = reader
      proceed()
      return promise
    },
    return: async () => iterator.return?.(),
  }
}
