import { objectOf, textOf } from '@steploop/core/adapter'
import type { JsonObject, Rejection } from '../../simulate/wire-simulation.ts'
import { invalidArgument } from '../../simulate/google-status.ts'
import { fitsPart, isStandIn } from './thought-signature.ts'
import type { Content } from './contents.ts'

export interface SignatureRules {
  /** Whether all signatures were made by this simulator. */
  readonly known: boolean
  /** Gemini 3 and later want a signature at the first call of each step. */
  readonly required: boolean
}

/** https://ai.google.dev/gemini-api/docs/thought-signatures */
export function checkSignatures(contents: readonly Content[], rules: SignatureRules): Rejection | undefined {
  for (const [index, content] of contents.entries()) {
    if (rules.known && content.parts.some(isCorrupted)) return invalidArgument('Corrupted thought signature.')
    const call = content.parts.find((part) => part['functionCall'] !== undefined)
    if (!rules.required || call === undefined || textOf(call['thoughtSignature']) !== undefined) continue
    if (index > lastQuestion(contents)) return unsigned(call, content.parts.indexOf(call))
  }
  return undefined
}

function isCorrupted(part: JsonObject): boolean {
  const signature = textOf(part['thoughtSignature'])
  if (signature === undefined || fitsPart(signature, part)) return false
  return part['functionCall'] === undefined || !isStandIn(signature)
}

/** The current turn begins with the last thing that the user said; what came before is not checked. */
function lastQuestion(contents: readonly Content[]): number {
  return contents.findLastIndex(
    ({ role, parts }) => role === 'user' && parts.some((part) => part['functionResponse'] === undefined),
  )
}

function unsigned(part: JsonObject, position: number): Rejection {
  const name = String(objectOf(part['functionCall'])['name'])
  return invalidArgument(
    `Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance. Additional data, function call \`default_api:${name}\` , position ${position + 1}. Please refer to https://ai.google.dev/gemini-api/docs/thought-signatures for more details.`,
  )
}
