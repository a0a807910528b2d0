import { z } from 'zod'

export interface ByKeyOptions {
  /** Member that decides, for example `type`. */
  readonly key: string
  /** Value that stands for a member that is absent; without it, absence is a fault. */
  readonly absent?: string | undefined
  /** Finds a schema for values that are not in the table, for example a family of names. */
  readonly other?: ((value: string) => z.ZodType | undefined) | undefined
}

/**
 * A union of objects that one member tells apart. Unlike a plain union, a fault inside names the field of the chosen member,
 * as providers do.
 */
export function byKey(table: Readonly<Record<string, z.ZodType>>, options: ByKeyOptions): z.ZodType {
  return z.record(z.string(), z.unknown()).check((context) => {
    const given = context.value[options.key]
    const name = given === undefined ? options.absent : given
    const schema = typeof name === 'string' ? (own(table, name) ?? options.other?.(name)) : undefined
    if (schema === undefined) {
      const values = Object.keys(table)
      context.issues.push({ code: 'invalid_value', values, path: [options.key], input: given })
      return
    }
    const result = schema.safeParse(context.value)
    for (const issue of result.error?.issues ?? []) {
      context.issues.push({ ...issue, input: context.value } as z.core.$ZodRawIssue)
    }
  })
}

function own(table: Readonly<Record<string, z.ZodType>>, name: string): z.ZodType | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined
}
