/** By itself a generator that waits for its next value lets `return()` and `throw()` wait too; this one stops what it waits for first. */
export function leavable<Value, Result, Next>(
  generator: AsyncGenerator<Value, Result, Next>,
  stop: () => unknown,
): AsyncGenerator<Value, Result, Next> {
  const end = generator.return.bind(generator)
  const fail = generator.throw.bind(generator)
  generator.return = (value) => {
    stop()
    return end(value)
  }
  generator.throw = (error) => {
    stop()
    return fail(error)
  }
  return generator
}
