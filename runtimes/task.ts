import type { SimulatorOptions } from '@steploop/conformance/simulator'
import type { Mode } from '@steploop/core'

/** One cell of the table: what a runtime is asked to do. */
export interface Task {
  /** Name of a subject of steploop.config.ts. */
  readonly adapter: string
  readonly mode: Mode
  /** Address of a simulator that plays `script`. */
  readonly baseURL: string
}

// Beyond ASCII, so that a runtime that decodes bytes wrongly shows.
export const city = 'Zürich 🌧'
export const celsius = 21.5
export const finalText = 'In Zürich sind es 21,5 °C ☀️ und es bleibt trocken.'

export const script: SimulatorOptions['script'] = [
  { type: 'answer', parts: [{ type: 'call', toolName: 'weather', input: { city } }] },
  { type: 'answer', parts: [{ type: 'text', text: finalText }] },
]
