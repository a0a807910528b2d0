import { isObject } from '@steploop/core/adapter'

/**
 * What no reader sees and a model reads all the same: characters without a shape, those that turn the direction of text around, and control
 * characters but tabs and line ends. A variation selector behind a visible character, and the joiner between two emoji, have a shape.
 */
const invisible =
  /(?<!\p{Extended_Pictographic}\uFE0F?)\u200D|\u200D(?!\p{Extended_Pictographic})|(?<=[\p{Default_Ignorable_Code_Point}\s]|^)\uFE0F|(?![\u200D\uFE0F])\p{Default_Ignorable_Code_Point}|[\uFFF9-\uFFFB]|(?![\t\n\r])\p{Cc}/gu

/** The text without characters that nobody sees. */
export function cleanText(text: string): string {
  return text.replaceAll(invisible, '')
}

/** Members of a schema that hold schemas by name. */
const named = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'])
/** Members that hold data of the tool's own, which has to stay as it is. */
const data = new Set(['const', 'enum', 'default', 'examples', 'required', 'pattern', '$ref', '$id'])

/** The schema with all that describes it cleaned. The same object where there is nothing to clean. */
export function cleanSchema<T>(schema: T): T {
  return (isObject(schema) ? cleanMembers(schema, cleanMember) : cleanList(schema)) as T
}

function cleanMember(key: string, value: unknown): unknown {
  if ((key === 'description' || key === 'title' || key === '$comment') && typeof value === 'string')
    return cleanText(value)
  if (data.has(key)) return value
  if (named.has(key) && isObject(value)) return cleanMembers(value, (_name, schema) => cleanSchema(schema))
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
