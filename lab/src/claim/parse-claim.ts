import { HarnessError } from '@steploop/conformance'
import { claimSchema, type Claim } from './claim-schema.ts'

/** @throws HarnessError `unreadable-input` that names the member and the fix */
export function parseClaim(text: string, file: string): Claim {
  const fix = 'Write one with `steploop conformance --claim FILE`.'
  let data: unknown
  try {
    data = JSON.parse(text)
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new HarnessError('unreadable-input', `${file} is no JSON: ${reason}. ${fix}`, { file, cause })
  }
  const checked = claimSchema.safeParse(data)
  if (checked.success) return checked.data
  const issue = checked.error.issues[0]
  const where = issue?.path.join('.') || 'the file'
  const message = `${file} is no claim of version 1: ${where}: ${issue?.message ?? 'has another form'}. ${fix}`
  throw new HarnessError('unreadable-input', message, { file })
}
