import { z } from 'zod'
import { caseDetailsSchema } from './details-schema.ts'

/** The JSON form of a report. A reader that meets another `version` must not guess. */
export const verdictSchema = z.enum([
  'pass',
  'fail',
  'not-applicable',
  'known-failure',
  'unexpected-pass',
  'harness-error',
])

const failureSchema = z.object({
  /** What is wrong, with which value. */
  message: z.string(),
  /** Where to look. */
  where: z.string().optional(),
})

export const checkReportSchema = z.object({
  id: z.string(),
  /** `<subject>/<scenario>/<mode>#<check>` */
  address: z.string(),
  sentence: z.string(),
  verdict: verdictSchema,
  failures: z.array(failureSchema),
  /** Why it is not applicable, or a known failure. */
  reason: z.string().optional(),
  /** How many variants a stressor tried. */
  variants: z.number().int().optional(),
  /** How many streams of the case a stressor that cuts streams had before it. */
  streams: z.number().int().optional(),
})

export const caseReportSchema = z.object({
  /** `<subject>/<scenario>/<mode>` */
  address: z.string(),
  subject: z.string(),
  scenario: z.string(),
  mode: z.enum(['generate', 'stream']),
  verdict: verdictSchema,
  /** Why it is not applicable. */
  reason: z.string().optional(),
  /** How the cassette was made. */
  origin: z.object({ kind: z.string(), by: z.string(), date: z.string(), server: z.string().optional() }).optional(),
  checks: z.array(checkReportSchema),
  /** What happened, line by line; only where something is unexpected. */
  timeline: z.array(z.string()).optional(),
  /** What happened, with all bytes; only when the run was asked for it. */
  details: caseDetailsSchema.optional(),
  /** The command that runs this case alone. */
  repeat: z.string(),
  durationMs: z.number(),
})

const askedSchema = z.object({
  only: z.array(z.string()).optional(),
  scenario: z.array(z.string()).optional(),
  mode: z.enum(['generate', 'stream']).optional(),
  stress: z.array(z.string()).optional(),
  full: z.boolean().optional(),
})

export const reportSchema = z.object({
  version: z.literal(1),
  suite: z.object({ name: z.string(), version: z.string() }),
  /** The day of the run, `YYYY-MM-DD`: ages of cassettes count up to it. */
  date: z.string().optional(),
  frontEnds: z.array(z.string()),
  /** Seed of what stressors try at random. */
  seed: z.number().int().optional(),
  /** Which part of a run this is; nothing for a whole one. */
  shard: z.object({ index: z.number().int(), count: z.number().int() }).optional(),
  /** How many cases all shards have together; nothing for a whole run. */
  planned: z.number().int().optional(),
  /** The options that confined the run, or widened it; nothing for an ordinary run of everything. */
  asked: askedSchema.optional(),
  subjects: z.array(
    z.object({
      name: z.string(),
      wire: z.string(),
      model: z.string(),
      /** Why its wire format is unverified by traffic. */
      unverified: z.string().optional(),
    }),
  ),
  scenarios: z.array(
    z.object({
      id: z.string(),
      title: z.string(),
      group: z.string().optional(),
      /** Wire formats in which recorded conversations of real providers show it too. */
      onTraffic: z.array(z.string()).readonly().optional(),
    }),
  ),
  cases: z.array(caseReportSchema),
  /** What is wrong outside of any case, such as an expired line of the list of known failures. */
  problems: z.array(z.object({ message: z.string(), harness: z.boolean() })),
  /** Cases by verdict. */
  counts: z.record(verdictSchema, z.number().int()),
  checks: z.number().int(),
  variants: z.number().int(),
  /** Milliseconds by part: `cases`, then one per stressor. */
  times: z.record(z.string(), z.number()),
  durationMs: z.number(),
  ok: z.boolean(),
})

export type Verdict = z.infer<typeof verdictSchema>
export type CheckReport = z.infer<typeof checkReportSchema>
export type CaseReport = z.infer<typeof caseReportSchema>
export type Asked = z.infer<typeof askedSchema>
export type Report = z.infer<typeof reportSchema>
