import type { LlamaProgram } from './llama-server.ts'
import { NoServer } from './live-error.ts'
import type { ServerKind } from './record-local.ts'

export async function lemonadeKind(
  _program: LlamaProgram,
  _cache: string,
  _say: (line: string) => void,
): Promise<ServerKind> {
  throw new NoServer('not yet')
}
