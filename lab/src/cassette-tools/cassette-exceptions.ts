import { parse } from 'yaml'
import { z } from 'zod'
import { HarnessError } from '@steploop/conformance'

const schema = z.array(
  z.strictObject({
    file: z.string().min(1),
    rule: z.enum(['size', 'age', 'orphan']),
    reason: z.string().min(1),
  }),
)

/** A cassette that may break one rule of `steploop cassette check`, and why. */
export type CassetteException = z.infer<typeof schema>[number]

/**
 * Reads a list of exceptions: YAML with `file` (from the list's own folder, with `/`; `folder/*` for all in it), `rule` and `reason`.
 *
 * @throws HarnessError `unreadable-input` that names the file and the entry
 */
export function parseCassetteExceptions(text: string, file: string): readonly CassetteException[] {
  const result = schema.safeParse(parsed(text, file) ?? [])
  if (result.success) return result.data
  const issue = result.error.issues[0]
  const location = issue === undefined || issue.path.length === 0 ? 'the list' : `entry ${issue.path.join('.')}`
  throw wrong(file, `${location}: ${issue?.message ?? 'not a list'}`)
}

function parsed(text: string, file: string): unknown {
  try {
    return parse(text)
  } catch (cause) {
    throw wrong(file, cause instanceof Error ? (cause.message.split('\n')[0] ?? '') : String(cause))
  }
}

function wrong(file: string, why: string): HarnessError {
  const message = `${file} is no list of exceptions (${why}). Each entry has file, rule (size, age or orphan) and reason.`
  return new HarnessError('unreadable-input', message, { file })
}
