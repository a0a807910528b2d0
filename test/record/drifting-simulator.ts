import type { JsonObject } from '@steploop/core/adapter'
import type { Simulator, SimulatorOptions } from '@steploop/conformance/simulator'
import { startProvider } from './simulated-provider.ts'

/** How a provider changed: what becomes of the payloads of one response, and of its text. */
export interface Drift {
  readonly payloads?: ((payloads: readonly JsonObject[], isStream: boolean) => readonly JsonObject[]) | undefined
  readonly text?: ((text: string) => string) | undefined
}

/** Starts simulators behind a server that changes what they say. */
export function drifting(drift: Drift) {
  return async (options: SimulatorOptions): Promise<Simulator> => {
    const rewrite = (text: string, type: string): string => changed(text, type, drift)
    const { simulator, url, close } = await startProvider(options, { rewrite, isHonest: true })
    return {
      url,
      requests: simulator.requests,
      stored: simulator.stored,
      get remaining() {
        return simulator.remaining
      },
      close,
    }
  }
}

function changed(text: string, type: string, { payloads = (all) => all, text: rewrite = (all) => all }: Drift): string {
  if (/event-stream/.test(type)) return rewrite(changedEvents(text, payloads))
  const isLines = /ndjson/.test(type)
  const lines = isLines ? text.trimEnd().split('\n') : [text]
  const said = payloads(
    lines.map((line) => JSON.parse(line) as JsonObject),
    isLines,
  )
  return rewrite(said.map((payload) => JSON.stringify(payload) + (isLines ? '\n' : '')).join(''))
}

/** What is no JSON, such as `[DONE]`, stays at the end. */
function changedEvents(text: string, payloads: NonNullable<Drift['payloads']>): string {
  const end = /\r\n/.test(text) ? '\r\n' : '\n'
  const data = text.split(/\r?\n/).flatMap((line) => (line.startsWith('data:') ? [line.slice(5).trim()] : []))
  const hasNames = /^event:/m.test(text)
  const said = data.filter((one) => one.startsWith('{')).map((one) => JSON.parse(one) as JsonObject)
  const events = payloads(said, true).map((payload) => {
    const name = hasNames ? `event: ${String(payload['type'])}${end}` : ''
    return `${name}data: ${JSON.stringify(payload)}${end}${end}`
  })
  const others = data.filter((one) => !one.startsWith('{')).map((one) => `data: ${one}${end}${end}`)
  return [...events, ...others].join('')
}
