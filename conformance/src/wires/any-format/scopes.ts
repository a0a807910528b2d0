import { dialectOf } from '../index.ts'
import type { Subject } from '../../subject.ts'

/** Stands for the dialect of unknown hosts: a compatible server. */
const unknownDialect = 'compatible'

/**
 * All scopes that a subject stands in, for rules that hold in some only: its wire format (`openai-chat`), its dialect
 * (`openai-chat/groq`, by the host of its base URL; `openai-chat/compatible` for a host that is not known) and what it declares itself. Its
 * name is none of them: what holds for one subject is for that subject to say.
 */
export function scopesOf({
  wire,
  baseURL,
  scopes = [],
}: Pick<Subject, 'wire' | 'baseURL' | 'scopes'>): readonly [string, ...string[]] {
  return [wire, `${wire}/${dialectOf({ wire, baseURL })?.name ?? unknownDialect}`, ...scopes]
}
