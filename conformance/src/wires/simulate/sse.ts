/** One server-sent event with a name. */
export function namedEvent(event: string, data: string): string {
  return `event: ${event}\ndata: ${data}\n\n`
}

/** One server-sent event without a name. */
export function plainEvent(data: string): string {
  return `data: ${data}\n\n`
}
