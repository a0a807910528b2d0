import { objectsAt, textAt } from '../../../simulate/fields.ts'
import { isSealOf, seal } from '../../../simulate/seal.ts'
import type { JsonObject, Memory, Rejection } from '../../../simulate/wire-simulation.ts'
import { upstreamRejection } from './failures.ts'

/** Claude's thoughts are signed; those of others are not. */
export function isSigned(request: JsonObject): boolean {
  return textAt(request, 'model').startsWith('anthropic/')
}

export function detailFormat(request: JsonObject): string {
  return isSigned(request) ? signedFormat : 'unknown'
}

/** The signature of a whole thought; it fits this text only. */
export function sign(text: string): string {
  return seal('EsSim', 'openrouter', text)
}

const signedFormat = 'anthropic-claude-v1'

/**
 * Signed thoughts have to come back as they were given, which the upstream checks (docs/wire.md#openrouter). Without memory nothing is
 * known about them but that they need a signature.
 */
export function checkDetails(request: JsonObject, memory?: Memory): Rejection | undefined {
  for (const [index, message] of objectsAt(request, 'messages').entries()) {
    for (const [position, detail] of objectsAt(message, 'reasoning_details').entries()) {
      if (detail['type'] !== 'reasoning.text' || detail['format'] !== signedFormat) continue
      const signature = textAt(detail, 'signature')
      const text = textAt(detail, 'text')
      const good = memory === undefined ? signature !== '' : isSealOf(signature, 'EsSim', 'openrouter', text)
      if (!good) {
        return upstreamRejection(`messages.${index}.content.${position}: Invalid \`signature\` in \`thinking\` block`)
      }
    }
  }
  return undefined
}
