import type { Settings, Warning } from '@steploop/core/adapter'
import type { Fields, FieldSetting } from './dialect.ts'
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
): Fields {
  const fields: Record<string, unknown> = {}
  if (settings === undefined) return fields
  const { reasoning, ...rest } = settings
  const unsupported = (name: string): void => {
    const message = `${provider} does not know the setting \`${name}\`; it was left out`
    warnings.push({ type: 'unsupported', path: `settings.${name}`, message })
  }
  let name: FieldSetting
  for (name in dialect.settings) {
    const value = rest[name]
    if (value === undefined || (Array.isArray(value) && value.length === 0)) continue
    if (name === 'parallelToolCalls' && !functions) continue
    const field = dialect.settings[name]
    if (field === false) unsupported(name)
    else fields[field] = value
  }
  if (reasoning === undefined) return fields
  const coerced = (message: string): void => {
    warnings.push({ type: 'coerced', path: 'settings.reasoning', message })
  }
  if (dialect.reasoning !== false) return { ...fields, ...dialect.reasoning(reasoning, coerced) }
  unsupported('reasoning')
  return fields
}
