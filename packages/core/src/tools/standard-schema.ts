import type { JsonSchema } from '../contract/adapter.ts'
import { errorText } from '../wire/error-text.ts'

/**
 * The part of the Standard Schema interfaces (standardschema.dev) that the loop uses. Any library that implements them works:
 * zod 4, valibot, arktype and others. Types only: core depends on none of them.
 */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>
    readonly types?: { readonly input: Input; readonly output: Output } | undefined
    /** Standard JSON Schema: the schema as JSON Schema. */
    readonly jsonSchema?:
      | { readonly input: (options: { readonly target: 'draft-2020-12' }) => Record<string, unknown> }
      | undefined
  }
}

export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] }

export interface StandardIssue {
  readonly message: string
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
}

/** A schema of a library, or a plain JSON Schema object (which is sent, but not checked against). */
export type InputSchema<Output = unknown> = StandardSchema<unknown, Output> | JsonSchema

/** Throws `TypeError` for what is no result: code without types may give a boolean, and `false` has no issues. */
export function isValid<Output>(result: StandardResult<Output>): result is Extract<typeof result, { value: Output }> {
  return 'value' in result && result.issues === undefined
}

/** The issues with their paths as text: `at.day`, `''` for the value itself. */
export function issuesOf(
  issues: readonly StandardIssue[],
): readonly { readonly path: string; readonly message: string }[] {
  return issues.map(({ path = [], message }) => ({
    path: path.map((key) => String(typeof key === 'object' ? key.key : key)).join('.'),
    // It goes into the history, and not every library is careful.
    message: errorText(message),
  }))
}

export function isStandardSchema(schema: InputSchema): schema is StandardSchema {
  return typeof schema['~standard'] === 'object' && schema['~standard'] !== null
}
