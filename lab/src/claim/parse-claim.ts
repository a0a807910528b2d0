import { HarnessError } from '@steploop/conformance'
import { claimSchema, type Claim } from './claim-schema.ts'
import { contradictions } from './contradictions.ts'

/** @throws HarnessError `unreadable-input` that names the member and the mend, also where the claim contradicts itself */
export function parseClaim(text: string, file: string): Claim {
  const mend = 'Write one with `steploop conformance --claim FILE`.'
  let data: unknown
  try {
    data = JSON.parse(text)
  } catch (cause) {
    const said = cause instanceof Error ? cause.message : String(cause)
    throw new HarnessError('unreadable-input', `${file} is no JSON: ${said}. ${mend}`, { file, cause })
  }
  const checked = claimSchema.safeParse(data)
  if (checked.success) return consistent(checked.data, file, mend)
  const issue = checked.error.issues[0]
  const where = issue?.path.join('.') || 'the file'
  const message = `${file} is no claim of version 1: ${where}: ${issue?.message ?? 'has another form'}. ${mend}`
  throw new HarnessError('unreadable-input', message, { file })
}

function consistent(claim: Claim, file: string, mend: string): Claim {
  const [first] = contradictions(claim)
  if (first === undefined) return claim
  throw new HarnessError('unreadable-input', `${file} was changed since it was written: ${first}. ${mend}`, { file })
}
