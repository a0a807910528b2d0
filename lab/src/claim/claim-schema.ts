import { z } from 'zod'
import { verdictSchema } from '@steploop/conformance/cli'

const sha256 = z.string().regex(/^[0-9a-f]{64}$/)

const cassettesSchema = z.object({
  /** Hash by file name. */
  files: z.record(z.string().regex(/^[^/\\]+\.(generate|stream)\.yaml$/), sha256),
  /** How many came from where, by kind of origin: `live`, `local`, `simulated`, `imported`, `derived`. */
  origins: z.record(z.string(), z.number().int()),
  /** The servers that `local` ones are from, each with its version. They say nothing of a hosted provider, nor of a trained model. */
  servers: z.array(z.string()).optional(),
  /** Days on which the first and the last one were recorded, `YYYY-MM-DD`; nothing where no cassette was used. */
  oldest: z.string().optional(),
  newest: z.string().optional(),
})

const claimedSubjectSchema = z.object({
  name: z.string(),
  /** Where the adapter is published, and in which version it was run. */
  package: z.object({ name: z.string(), version: z.string() }),
  wire: z.string(),
  model: z.string(),
  /** Why its wire format is unverified by traffic. */
  unverified: z.string().optional(),
  /** The scenarios to which its config confines it; nothing where all were run that exist for it. */
  scenarios: z.array(z.string()).optional(),
  cassettes: cassettesSchema,
  /** Verdict by `<scenario>/<mode>`. */
  cases: z.record(z.string().regex(/^[^/]+\/(generate|stream)$/), verdictSchema),
})

/**
 * What a run of the suite found, with all that is needed to repeat it. Nothing is said twice, so nothing in it can contradict the rest.
 * A reader that meets another `version` must not guess.
 */
export const claimSchema = z.object({
  version: z.literal(1),
  /** The day of the run, `YYYY-MM-DD`. */
  date: z.iso.date(),
  suite: z.object({ name: z.string(), version: z.string() }),
  /** Version of @steploop/core, which drives the loop. */
  core: z.string(),
  /** The requirement set that it is judged by: its day, and the hash of its file. */
  requirements: z.object({ date: z.iso.date(), sha256 }),
  /** Hash of the matrix of which check kills which mutant, which shows that the suite notices bugs; nothing where it ships none. */
  mutants: sha256.optional(),
  frontEnds: z.array(z.enum(['fetch', 'msw', 'server'])).min(1),
  seed: z.number().int().min(0),
  /** Whether slow stressors ran too. */
  full: z.boolean(),
  subjects: z.array(claimedSubjectSchema).min(1),
  /** Names of all subjects of the config: each finished history is handed over to one of them, in a full run to all. */
  handOverTo: z.array(z.string()),
  /** The lines of `known-failures.yaml` that excused a check. */
  knownFailures: z.array(z.object({ check: z.string(), reason: z.string(), issue: z.string(), expires: z.iso.date() })),
})

export type Claim = z.infer<typeof claimSchema>
export type ClaimedSubject = z.infer<typeof claimedSubjectSchema>
