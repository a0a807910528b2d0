import { AdapterError } from '../contract/errors.ts'
import type { Warning } from '../contract/adapter.ts'
import { warningFaults } from './event-faults.ts'

const setting =
  'maxOutputTokens|temperature|topP|topK|presencePenalty|frequencyPenalty|stopSequences|seed|reasoning|parallelToolCalls'
/** Where in a request, or in an answer, something is. */
const location = new RegExp(
  [
    `settings\\.(${setting})`,
    'messages',
    '(assistant|tool)\\.content(\\[\\d*\\])?(\\.input|\\.output)?',
    'tools(\\[\\d+\\](\\.name|\\.strict|\\.inputSchema(\\..+)?)?)?',
    'toolChoice',
    'responseFormat(\\.schema(\\..+)?)?',
    'providerOptions\\..+',
    '(response|message|stream)(\\.[\\w[\\].]+)?',
  ]
    .map((one) => `^${one}$`)
    .join('|'),
)

/** What a text has where a value was missing, or was no text. */
const gap = /\bundefined\b|\bNaN\b|\[object /

/**
 * Gives the warnings of an encoder back as they are: each says of which kind it is, where something was lost, and what.
 *
 * @throws TypeError for one that leaves any of it out, has a gap in its words, or whose path is nowhere in a request
 */
export function wholeWarnings(warnings: readonly Warning[]): readonly Warning[] {
  const torn = warnings.find(
    (warning) => warningFaults([warning]).length > 0 || !location.test(warning.path) || gap.test(warning.message),
  )
  if (torn !== undefined) throw new TypeError(`This warning is not whole: ${JSON.stringify(torn)}`)
  return warnings
}

/** @throws TypeError for an error of an adapter that does not say whose it is, or has a gap in its words */
export function checkError(error: unknown): void {
  if (!AdapterError.isInstance(error)) return
  const { provider, model }: Partial<AdapterError> = error
  if (provider === undefined || model === undefined)
    throw new TypeError(`This error names no provider or no model`, { cause: error })
  if (gap.test(error.message)) throw new TypeError(`This error is not whole`, { cause: error })
}
