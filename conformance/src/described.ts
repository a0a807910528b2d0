/** An error in one line. */
export function described(error: unknown): string {
  if (!(error instanceof Error)) return `${typeof error} ${JSON.stringify(error) ?? ''}`.trim()
  return `${error.name}: ${error.message}`
}
