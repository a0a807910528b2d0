import { anthropicMessages } from './anthropic-messages/index.ts'
import { bedrockConverse } from './bedrock-converse/index.ts'
import { cohereChat } from './cohere-chat/index.ts'
import { geminiGenerate } from './gemini-generate/index.ts'
import { geminiInteractions } from './gemini-interactions/index.ts'
import { ollamaChat } from './ollama-chat/index.ts'
import { openaiChat } from './openai-chat/index.ts'
import { openaiResponses } from './openai-responses/index.ts'
import { commonFreedom, type Freedom } from './read/payload-types.ts'
import type { SimulatedDialect, WireSimulation } from './simulate/wire-simulation.ts'
import type { WireKit } from './wire-kit.ts'

/** Every wire format that the suite knows; a new one is one more line. */
export const wireKits: readonly WireKit[] = [
  openaiResponses,
  anthropicMessages,
  geminiGenerate,
  openaiChat,
  ollamaChat,
  bedrockConverse,
  cohereChat,
  geminiInteractions,
]

/** `undefined` for a foreign format: what has no words for it does not apply. */
export function wireKit(name: string): WireKit | undefined {
  return wireKits.find((kit) => kit.name === name)
}

/** What belongs to the application in this format. */
export function freedomOf(wire: string): Freedom {
  return wireKit(wire)?.freedom ?? commonFreedom
}

/** Every wire format that the simulator speaks. */
export const simulatedWires: readonly WireSimulation[] = wireKits.flatMap(({ simulation }) => simulation ?? [])

/**
 * Finds a wire format by its name, as the provider at `baseURL` speaks it; hosts that are not known speak it as the provider after which
 * it is named. Throws a `RangeError` that lists the known names.
 */
export function simulatedWire(name: string, baseURL?: string): WireSimulation {
  const found = wireKit(name)?.simulation
  if (found !== undefined) return baseURL === undefined ? found : asDialectOf(new URL(baseURL).host, found)
  const known = simulatedWires.map((simulation) => simulation.wire).join(', ')
  throw new RangeError(`The simulator does not speak '${name}'. Known wire formats: ${known}.`)
}

/** The provider whose host name ends so; `undefined` when none is known. */
export function dialectAt(host: string, simulation: WireSimulation): SimulatedDialect | undefined {
  return simulation.dialects.find(({ hosts }) => hosts.some((end) => host.endsWith(end)))
}

/** The provider that a subject speaks to; `undefined` for a format, or a host, that is not known. */
export function dialectOf({ wire, baseURL }: { readonly wire: string; readonly baseURL: string }) {
  const simulation = wireKit(wire)?.simulation
  return simulation && dialectAt(new URL(baseURL).host, simulation)
}

function asDialectOf(host: string, simulation: WireSimulation): WireSimulation {
  const dialect = dialectAt(host, simulation)
  return dialect === undefined || dialect === simulation.dialects[0] ? simulation : { ...simulation, ...dialect }
}
