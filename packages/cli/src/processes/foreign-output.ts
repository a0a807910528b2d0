/**
 * Runs code of others, a config or adapters: what it prints to stdout goes to stderr, so that a report on stdout can be parsed.
 */
export async function foreignOutputToStderr<Result>(work: () => Promise<Result>): Promise<Result> {
  const restore = divertOutput()
  try {
    return await work()
  } finally {
    restore()
  }
}

/** From now on stdout goes to stderr. @returns what undoes it */
export function divertOutput(): () => void {
  const write: unknown = Reflect.get(process.stdout, 'write')
  process.stdout.write = process.stderr.write.bind(process.stderr)
  return () => {
    Reflect.set(process.stdout, 'write', write)
  }
}
