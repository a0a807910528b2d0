import { textAt } from '../simulate/fields.ts'
import type { JsonObject } from '../simulate/wire-simulation.ts'

export interface XaiTraits {
  readonly reasons: boolean
  /** Whether Chat Completions shows the thoughts; later models give them encrypted only, and in the Responses format only. */
  readonly shows: boolean
  /** Whether the model can be told how much to think. */
  readonly takesEffort: boolean
}

/** What Grok's models differ in: https://docs.x.ai/docs/guides/reasoning */
export function modelTraits(request: JsonObject): XaiTraits {
  const model = textAt(request, 'model')
  const reasons = !model.includes('non-reasoning') && !/^grok-(2|3(?!-mini))/.test(model)
  return {
    reasons,
    shows: model.startsWith('grok-3-mini') || model.startsWith('grok-code'),
    takesEffort: /^grok-(3-mini|4\.[3-9])/.test(model),
  }
}
