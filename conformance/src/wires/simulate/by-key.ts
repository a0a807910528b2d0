import { z } from 'zod'

export interface ByKeyOptions {
  /** Member that decides. Default: `type`. */
  readonly key?: string | undefined
  /** Value that stands for a member that is absent; without it, absence is a fault. */
  readonly absent?: string | undefined
  /** Finds a schema for values that are not in the table, for example a family of names. */
  readonly other?: ((value: string) => z.ZodType | undefined) | undefined
}

/** A schema, or the members of a strict object beside the one that decides. */
export type Kind = z.ZodType | z.ZodRawShape

/**
 * A union of objects that one member tells apart. Unlike a plain union, a fault inside names the field of the chosen member,
 * as providers do.
 */
export function byKey(
  table: Readonly<Record<string, Kind>>,
  { key = 'type', absent, other }: ByKeyOptions = {},
): z.ZodType {
  const ofKind = (name: string, members: z.ZodRawShape) => {
    const literal = z.literal(name)
    return z.strictObject({ [key]: name === absent ? literal.optional() : literal, ...members })
  }
  const schemas = new Map(
    Object.entries(table).map(([name, kind]) => [name, kind instanceof z.ZodType ? kind : ofKind(name, kind)]),
  )
  return z.record(z.string(), z.unknown()).check((context) => {
    const given = context.value[key]
    const name = given === undefined ? absent : given
    const schema = typeof name === 'string' ? (schemas.get(name) ?? other?.(name)) : undefined
    if (schema === undefined) {
      context.issues.push({ code: 'invalid_value', values: [...schemas.keys()], path: [key], input: given })
      return
    }
    const result = schema.safeParse(context.value)
    for (const issue of result.error?.issues ?? []) {
      context.issues.push({ ...issue, input: context.value } as z.core.$ZodRawIssue)
    }
  })
}

/** Objects of which only the `type` is looked at, by that type: what the provider made, or runs, itself. */
export function anyOfTypes(types: readonly string[]): Readonly<Record<string, z.ZodType>> {
  return Object.fromEntries(types.map((type) => [type, z.looseObject({ type: z.literal(type) })]))
}
