import { startLlamaServer, type LlamaProgram } from './llama-server.ts'
import type { ServerKind } from './record-local.ts'

/** What llama-server speaks. It starts in a tenth of a second, so each play gets one of its own. */
export function llamaKind(program: LlamaProgram): ServerKind {
  return {
    version: program.version,
    wires: ['openai-chat', 'openai-responses', 'anthropic-messages'],
    start: (weights, apiKey) => startLlamaServer({ program, weights, apiKey }),
  }
}
