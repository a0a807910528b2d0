/** The work did not settle in time. */
export class NotSettled extends Error {
  override readonly name = 'NotSettled'
}

/**
 * The work, or `NotSettled` when it takes longer than `ms`. The work is not stopped: nothing can stop code that ignores its signal, but
 * it is not awaited any more.
 */
export async function settleWithin<Value>(ms: number, what: string, work: Promise<Value>): Promise<Value> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new NotSettled(`${what} did not settle within ${ms} ms`)), ms)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
