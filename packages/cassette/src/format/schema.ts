import { z } from 'zod'

const hash = z.string().regex(/^[0-9a-f]{64}$/, 'must be 64 lower-case hexadecimal digits')
const day = z.string().regex(/^\d{4}-\d{2}-\d{2}$/, 'must be a day, YYYY-MM-DD')
const headers = z.record(z.string().regex(/^[^A-Z]+$/, 'must be lower case'), z.string())
const body = { text: z.string().optional(), crlf: z.string().optional(), base64: z.string().optional() }

export const headerSchema = z.strictObject({
  cassette: z.literal(1),
  scenario: z.string(),
  mode: z.enum(['generate', 'stream']),
  provider: z.string(),
  wire: z.string(),
  model: z.string(),
  origin: z.strictObject({
    kind: z.enum(['live', 'local', 'simulated', 'imported', 'derived']),
    by: z.string(),
    date: day,
    host: z.string().optional(),
    server: z.string().optional(),
    recipe: z.string().optional(),
    source: z.string().optional(),
    licence: z.string().optional(),
    guessed: z.string().optional(),
  }),
  mask: z
    .string()
    .regex(/^\S+(?: \S+)*$/, 'must be paths with one blank between them')
    .optional(),
  // A hash of digits alone is a number to YAML; the line itself is checked as text.
  sha256: z.union([z.string(), z.number()]),
})

export const exchangeSchema = z.strictObject({
  request: z.strictObject({
    method: z.string().regex(/^[A-Z]+$/, 'must be upper case'),
    url: z.url(),
    headers,
    ...body,
    rebased: day.optional(),
    sha256: hash,
  }),
  response: z.strictObject({
    status: z.union([z.literal(0), z.int().min(200).max(599)]),
    headers,
    ...body,
    chunks: z.string().regex(/^(?:\d+\+\d+(?: \d+\+\d+)*)?$/, 'must read "ms+bytes ms+bytes ..."'),
    ending: z.enum(['eof', 'reset', 'stall', 'abort']),
    sha256: hash,
  }),
})

export type HeaderDocument = z.infer<typeof headerSchema>
export type ExchangeDocument = z.infer<typeof exchangeSchema>
