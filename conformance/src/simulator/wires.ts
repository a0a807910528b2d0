import { anthropicMessages } from './anthropic-messages/anthropic-messages.ts'
import { geminiGenerate } from './gemini-generate/gemini-generate.ts'
import { ollamaChat } from './ollama-chat/ollama-chat.ts'
import { openaiChat } from './openai-chat/openai-chat.ts'
import { openaiResponses } from './openai-responses/openai-responses.ts'
import type { WireSimulation } from './wire-simulation.ts'

/** Every wire format that the simulator speaks; a new one is one more line. */
export const simulatedWires: readonly WireSimulation[] = [
  openaiResponses,
  openaiChat,
  anthropicMessages,
  geminiGenerate,
  ollamaChat,
]

/** Finds a wire format by its name; throws a `RangeError` that lists the known ones. */
export function simulatedWire(name: string): WireSimulation {
  const found = simulatedWires.find((simulation) => simulation.wire === name)
  if (found !== undefined) return found
  const known = simulatedWires.map((simulation) => simulation.wire).join(', ')
  throw new RangeError(`The simulator does not speak '${name}'. Known wire formats: ${known}.`)
}
