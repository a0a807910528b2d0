import { z } from 'zod'

/**
 * What one case did, request by request, for a reader: the page of the HTML report shows it. Everything in it is text that a cassette
 * could hold; see `withhold`.
 */

const chunkSchema = z.object({
  /** Milliseconds since the chunk before it, as recorded. */
  ms: z.number(),
  bytes: z.number().int(),
  /** A character that the cut splits stands in the chunk with its last byte. */
  text: z.string(),
})

const sentRequestSchema = z.object({
  method: z.string(),
  url: z.string(),
  /** Credentials are `[redacted]`. */
  headers: z.record(z.string(), z.string()),
  /** JSON is indented, anything else as it was sent. */
  body: z.string(),
  /** Number of the exchange in the cassette that it was compared with, from 1. */
  exchange: z.number().int().optional(),
  /** Line by line against that exchange (`- ` recorded, `+ ` sent, two blanks: equal); only where they differ. */
  diff: z.string().optional(),
})

const responseSchema = z.object({
  /** 0: the connection ended before a response began. */
  status: z.number().int(),
  headers: z.record(z.string(), z.string()),
  chunks: z.array(chunkSchema),
  ending: z.string(),
})

const eventSchema = z.object({ type: z.string(), content: z.record(z.string(), z.unknown()) })

const attemptSchema = z.object({
  request: sentRequestSchema.optional(),
  response: responseSchema.optional(),
  /** What the adapter yielded. */
  events: z.array(eventSchema),
  /** How many more events there were. */
  eventsLeftOut: z.number().int().optional(),
  /** What the turn threw. */
  error: z.string().optional(),
})

const executionSchema = z.object({
  toolCallId: z.string(),
  toolName: z.string(),
  input: z.unknown(),
  /** Whether the tool ran; otherwise the loop or the caller answered the call. */
  ran: z.boolean(),
  /** What the model was told; none: the run ended before. */
  output: z.unknown().optional(),
})

const stepSchema = z.object({
  /** More than one: the turn was tried again. */
  attempts: z.array(attemptSchema),
  executions: z.array(executionSchema),
})

const runSchema = z.object({
  number: z.number().int(),
  steps: z.array(stepSchema),
  /** Tools that ran for calls of no step of this run: those of a run before it, or of one that failed. */
  otherExecutions: z.array(executionSchema),
  /** Milliseconds that the loop waited between attempts, by the scenario's clock. */
  waits: z.array(z.number()),
  end: z.discriminatedUnion('type', [
    z.object({ type: z.literal('result'), status: z.string(), stopReason: z.string(), text: z.string() }),
    z.object({ type: z.literal('error'), code: z.string(), message: z.string() }),
  ]),
})

export const caseDetailsSchema = z.object({
  /** Absent for a subject that is played without HTTP. */
  cassette: z
    .object({
      /** From the current directory, where it lies below it. */
      file: z.string(),
      wire: z.string(),
      model: z.string(),
      exchanges: z.number().int(),
    })
    .optional(),
  runs: z.array(runSchema),
  /** Exchanges that nothing asked for. */
  unused: z.array(z.object({ exchange: z.number().int(), method: z.string(), url: z.string(), body: z.string() })),
  /** Why `runs` and `unused` are empty: what was found in them may not leave the machine. */
  withheld: z.string().optional(),
})

export type CaseDetails = z.infer<typeof caseDetailsSchema>
export type RunDetails = z.infer<typeof runSchema>
export type StepDetails = z.infer<typeof stepSchema>
export type AttemptDetails = z.infer<typeof attemptSchema>
export type ExecutionDetails = z.infer<typeof executionSchema>
export type RequestDetails = z.infer<typeof sentRequestSchema>
export type ResponseDetails = z.infer<typeof responseSchema>
