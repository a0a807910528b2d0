import type { Settings } from '../contract/adapter.ts'

/** Settings that are one member of a body. How reasoning is asked for differs too much. */
export type FieldSetting = Exclude<keyof Settings, 'reasoning'>

/** The name on the wire of each setting, in the order of the body; `false`: the provider does not know it. */
export type SettingNames<Field extends string = string> = { readonly [Name in FieldSetting]?: Field | false }

/**
 * The settings that were given, under their names on the wire. A list without items is none.
 *
 * @param unsupported is told of each setting whose name is `false`
 */
export function settingFields<Field extends string>(
  settings: Settings | undefined,
  names: SettingNames<Field>,
  unsupported?: (name: FieldSetting) => void,
): { readonly [Name in Field]?: unknown } {
  const fields: { [Name in Field]?: unknown } = {}
  if (settings === undefined) return fields
  let name: FieldSetting
  for (name in names) {
    const value = settings[name]
    if (value === undefined || (Array.isArray(value) && value.length === 0)) continue
    const field = names[name]
    if (field === false) unsupported?.(name)
    else if (field !== undefined) fields[field] = value
  }
  return fields
}
