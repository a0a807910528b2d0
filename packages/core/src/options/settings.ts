import type { Settings } from '../contract/adapter.ts'

export const settingNames = [
  'maxOutputTokens',
  'temperature',
  'topP',
  'topK',
  'presencePenalty',
  'frequencyPenalty',
  'stopSequences',
  'seed',
  'reasoning',
  'parallelToolCalls',
] as const satisfies readonly (keyof Settings)[]

/** Only the settings, `undefined` when none is set. */
export function settingsOf(options: Settings): Settings | undefined {
  const settings: Record<string, unknown> = {}
  let some = false
  for (const name of settingNames) {
    if (options[name] === undefined) continue
    settings[name] = options[name]
    some = true
  }
  return some ? settings : undefined
}
