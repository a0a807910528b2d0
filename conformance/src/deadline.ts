/** The work did not settle in time. */
export class NotSettled extends Error {
  override readonly name = 'NotSettled'
}

/**
 * The work, or `NotSettled` when it takes longer than `ms`. The work is not stopped: nothing can stop code that ignores its signal, but
 * it is not awaited any more.
 */
export function settleWithin<Value>(ms: number, what: string, work: Promise<Value>): Promise<Value> {
  // No race: thousands of plays are waited for, and it makes four promises more for each.
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new NotSettled(`${what} did not settle within ${ms} ms`)), ms)
    const settled =
      <Outcome>(settle: (outcome: Outcome) => void) =>
      (outcome: Outcome): void => {
        clearTimeout(timer)
        settle(outcome)
      }
    work.then(settled(resolve), settled(reject))
  })
}
