import { anthropicMessages } from './anthropic-messages/simulate/index.ts'
import { geminiGenerate } from './gemini-generate/simulate/index.ts'
import { ollamaChat } from './ollama-chat/simulate/index.ts'
import { openaiChat } from './openai-chat/simulate/index.ts'
import { openaiResponses } from './openai-responses/simulate/index.ts'
import type { SimulatedDialect, WireSimulation } from './simulate/wire-simulation.ts'

/** Every wire format that the simulator speaks; a new one is one more line. */
export const simulatedWires: readonly WireSimulation[] = [
  openaiResponses,
  openaiChat,
  anthropicMessages,
  geminiGenerate,
  ollamaChat,
]

/**
 * Finds a wire format by its name, as the provider at `baseURL` speaks it; hosts that are not known speak it as the provider after which
 * it is named. Throws a `RangeError` that lists the known names.
 */
export function simulatedWire(name: string, baseURL?: string): WireSimulation {
  const found = simulatedWires.find((simulation) => simulation.wire === name)
  if (found !== undefined) return baseURL === undefined ? found : asSpokenAt(new URL(baseURL).host, found)
  const known = simulatedWires.map((simulation) => simulation.wire).join(', ')
  throw new RangeError(`The simulator does not speak '${name}'. Known wire formats: ${known}.`)
}

/** The provider whose host name ends so; `undefined` when none is known. */
export function dialectAt(host: string, simulation: WireSimulation): SimulatedDialect | undefined {
  return simulation.dialects.find(({ hosts }) => hosts.some((end) => host.endsWith(end)))
}

function asSpokenAt(host: string, simulation: WireSimulation): WireSimulation {
  const dialect = dialectAt(host, simulation)
  return dialect === undefined || dialect === simulation.dialects[0] ? simulation : { ...simulation, ...dialect }
}
