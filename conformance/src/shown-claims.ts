import type { Capabilities } from '@steploop/core'

/** Capability flags; `toolChoice` is a list and never needed as a whole. */
export type Feature = Exclude<keyof Capabilities, 'toolChoice'>

export type Choice = NonNullable<Capabilities['toolChoice']>[number]

/** The scenario that fails when the claim is false, and that probes an adapter which does not make it. A new capability needs one to compile. */
export const shownBy: Readonly<Record<Feature, string>> = {
  tools: 'single-call',
  parallel: 'parallel-calls',
  structured: 'structured-in-words',
  structuredWithTools: 'structured-with-tools',
  reasoning: 'reasoning-text',
  reasoningReplay: 'reasoning-replay',
  continuation: 'continuation',
  providerTools: 'provider-tool',
  pause: 'pause-turn',
  imageInput: 'image-input',
  fileInput: 'file-input',
  toolResultImages: 'image-in-result',
  streamUsage: 'cached-usage',
  cacheControl: 'prompt-cache',
}

/** Scenario that shows each kind of `toolChoice`. */
export const choiceShownBy: Readonly<Record<Choice, string>> = {
  auto: 'tool-choice-auto',
  none: 'tool-choice-none',
  required: 'tool-choice-required',
  tool: 'tool-choice-named',
}

export const features = keysOf(shownBy)

export const choices = keysOf(choiceShownBy)

/** `Object.keys` gives texts, as an object may have more members than its type says; these have not. */
function keysOf<Key extends string>(record: Readonly<Record<Key, unknown>>): readonly Key[] {
  return Object.keys(record) as Key[]
}
