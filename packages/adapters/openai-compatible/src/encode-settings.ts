import { settingFields, type Settings, type Warning } from '@steploop/core/adapter'
import type { Fields } from './dialect.ts'
import type { EncodeOptions } from './encode-assistant.ts'

/**
 * Settings as body fields. What the provider does not know is left out with a warning.
 *
 * @param functions whether the turn has functions: `parallel_tool_calls` is refused without
 */
export function encodeSettings(
  settings: Settings | undefined,
  functions: boolean,
  { provider, dialect }: EncodeOptions,
  warnings: Warning[],
): Fields | undefined {
  if (settings === undefined) return undefined
  const { reasoning, parallelToolCalls, ...rest } = settings
  const unsupported = (name: string): void => {
    const message = `${provider} does not know the setting \`${name}\`; it was left out`
    warnings.push({ type: 'unsupported', path: `settings.${name}`, message })
  }
  const known = functions ? { ...rest, parallelToolCalls } : rest
  const fields = settingFields(known, dialect.settings, unsupported)
  if (reasoning === undefined) return fields
  const coerced = (message: string): void => {
    warnings.push({ type: 'coerced', path: 'settings.reasoning', message })
  }
  if (dialect.reasoning !== false) return { ...fields, ...dialect.reasoning(reasoning, coerced) }
  unsupported('reasoning')
  return fields
}
