import type { Origin, WireFormat } from '@steploop/core/adapter'

/** Server-sent events, each with one JSON text as its data. */
export function framingOf(_origin: Origin): WireFormat['framing'] {
  return 'sse'
}

/** For the simulator: `json` as the server frames it. */
export function toFrame(json: string): string {
  return `data: ${json}\n\n`
}

export const contentType = 'text/event-stream'
