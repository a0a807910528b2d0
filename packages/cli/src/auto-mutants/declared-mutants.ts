import { existsSync, readFileSync } from 'node:fs'
import { HarnessError } from '@steploop/conformance'
import { z } from 'zod'

/** Name of the file beside the config. */
export const declaredFile = 'equivalent-mutants.json'

const declaredSchema = z.array(
  z.strictObject({
    /** Id as a survivor is printed, one or a list. It is of the text of its lines, so it names nothing any more when they change. */
    id: z.union([z.string().min(1), z.array(z.string().min(1)).min(1)]),
    /** For the reader: what is changed. */
    change: z.string().min(1),
    /** `equivalent`: no program can tell; `wording`: only texts for people differ; `timing`: only how long something takes. */
    kind: z.enum(['equivalent', 'wording', 'timing']),
    /** Why nobody could notice. */
    reason: z.string().min(1),
  }),
)

export type DeclaredMutant = z.infer<typeof declaredSchema>[number] & { readonly id: string }

/** @throws HarnessError `unreadable-input` with the location and the fix */
export function readDeclared(file: string): readonly DeclaredMutant[] {
  if (!existsSync(file)) return []
  const fix = 'Write a list of { "id", "change", "kind": "equivalent" | "wording" | "timing", "reason" }.'
  try {
    const declared = declaredSchema.parse(JSON.parse(readFileSync(file, 'utf8')))
    return declared.flatMap(({ id, ...rest }) => [id].flat().map((one) => ({ id: one, ...rest })))
  } catch (cause) {
    const said = cause instanceof z.ZodError ? z.prettifyError(cause) : String(cause)
    throw new HarnessError('unreadable-input', `${file} cannot be used: ${said}. ${fix}`, { file, cause })
  }
}
