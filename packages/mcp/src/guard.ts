import { isObject } from '@steploop/core/adapter'

/**
 * What no reader sees and a model reads all the same: characters without a shape, those that turn the direction of text around, and control
 * characters but tabs and line ends. A variation selector behind a visible character, and the joiner between two emoji, have a shape.
 */
const shapeless =
  /\uFE0F+|\u200D+|(?!\u200D|\uFE0F)\p{Default_Ignorable_Code_Point}+|[\uFFF9-\uFFFB]+|(?![\t\n\r])\p{Cc}+/gu

/** The text without invisible characters. */
export function cleanText(text: string): string {
  return text.replaceAll(shapeless, (found, at: number) => (hasShape(text, found, at) ? found : ''))
}

function hasShape(text: string, found: string, at: number): boolean {
  const before = text.slice(Math.max(0, at - 8), at)
  if (found === '\u{FE0F}') return /[^\s\p{Default_Ignorable_Code_Point}]$/u.test(before)
  if (found !== '\u{200D}') return false
  const after = text.slice(at + 1, at + 3)
  return (
    /\p{Extended_Pictographic}\p{Emoji_Modifier}?\uFE0F?$/u.test(before) && /^\p{Extended_Pictographic}/u.test(after)
  )
}

/** Members of a schema that hold schemas by name. */
const schemasByName = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'])
/** Members that hold data of the tool's own, which has to stay as it is. */
const dataMembers = new Set(['const', 'enum', 'default', 'examples', 'required', 'pattern', '$ref', '$id'])

/** The schema with all that describes it cleaned. The same object where there is nothing to clean. */
export function cleanSchema<T>(schema: T): T {
  return (isObject(schema) ? cleanMembers(schema, cleanMember) : cleanList(schema)) as T
}

function cleanMember(key: string, value: unknown): unknown {
  if ((key === 'description' || key === 'title' || key === '$comment') && typeof value === 'string')
    return cleanText(value)
  if (dataMembers.has(key)) return value
  if (schemasByName.has(key) && isObject(value)) return cleanMembers(value, (_name, schema) => cleanSchema(schema))
  return cleanSchema(value)
}

function cleanList(list: unknown): unknown {
  if (!Array.isArray(list)) return list
  const cleaned = list.map((item: unknown) => cleanSchema(item))
  return cleaned.some((item, index) => item !== list[index]) ? cleaned : list
}

function cleanMembers(
  members: Readonly<Record<string, unknown>>,
  clean: (key: string, value: unknown) => unknown,
): Readonly<Record<string, unknown>> {
  let changed = false
  const entries = Object.entries(members).map(([key, value]) => {
    const cleaned = clean(key, value)
    changed ||= cleaned !== value
    return [key, cleaned] as const
  })
  return changed ? Object.fromEntries(entries) : members
}
