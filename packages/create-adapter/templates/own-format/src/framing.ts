import type { Origin, WireFormat } from '@steploop/core/adapter'

/** One JSON text per line. */
export function framingOf(_origin: Origin): WireFormat['framing'] {
  return 'ndjson'
}

/** For the simulator: `json` as the server frames it. */
export function toFrame(json: string): string {
  return `${json}\n`
}

export const contentType = 'application/x-ndjson'
