import type { ChatDialect } from './dialect.ts'

/**
 * llama.cpp's `llama-server`, and what starts it (Lemonade, Ollama's `/v1`). With `response_format` its grammar holds from the first token,
 * so that beside tools no call would ever be made; a choice by name is taken for `auto`.
 */
export const llamaCpp: ChatDialect = {
  structuredWithTools: false,
  toolChoice: { tool: false },
}
