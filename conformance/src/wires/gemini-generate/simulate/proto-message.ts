import { z } from 'zod'

/**
 * An object of Google's JSON: unknown members are faults, `null` is absence, and every name may be written in camelCase or in snake_case.
 * https://protobuf.dev/programming-guides/json/
 */
export function message<Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  const names = new Set(Object.keys(shape))
  return z.preprocess((value) => inCamelCase(value, names), z.strictObject(shape))
}

function inCamelCase(value: unknown, names: ReadonlySet<string>): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const members = Object.entries(value).filter(([, member]) => member !== null)
  return Object.fromEntries(
    members.map(([name, member]) => [names.has(camelCase(name)) ? camelCase(name) : name, member]),
  )
}

function camelCase(name: string): string {
  return name.replaceAll(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
}

/** The provider names fields in snake_case in its messages, whatever the client wrote. */
export function snakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}
