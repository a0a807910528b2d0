import { z } from 'zod'
import { badRequest } from './api-error.ts'
import { isObject, type JsonObject } from './json.ts'
import { shownOnRequest } from './shown-item.ts'

const metadata = z.record(z.string().max(64), z.string().max(512)).refine((all) => Object.keys(all).length <= 16, {
  message: 'has more than 16 pairs',
})
const item = z.looseObject({ type: z.string().optional() })
/** No database keeps a NUL in a text. */
const id = z.string().regex(/^[^\0]*$/, 'holds a NUL')
const count = z.number().int().positive()

const schema = z.looseObject({
  model: z.string().min(1),
  input: z.union([z.string(), z.array(item)]).optional(),
  instructions: z.string().nullish(),
  tools: z.array(z.looseObject({ type: z.string() })).nullish(),
  tool_choice: z.union([z.string(), z.looseObject({ type: z.string() })]).nullish(),
  parallel_tool_calls: z.boolean().nullish(),
  max_output_tokens: count.nullish(),
  max_tool_calls: count.nullish(),
  temperature: z.number().min(0).max(2).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  reasoning: z.looseObject({ effort: z.string().nullish(), summary: z.string().nullish() }).nullish(),
  text: z.looseObject({ format: z.looseObject({ type: z.string() }).nullish() }).nullish(),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({}).nullish(),
  store: z.boolean().nullish(),
  background: z.boolean().nullish(),
  previous_response_id: id.nullish(),
  conversation: z.union([id, z.looseObject({ id })]).nullish(),
  metadata: metadata.nullish(),
  include: z.array(z.string()).nullish(),
  user: z.string().nullish(),
  safety_identifier: z.string().nullish(),
  prompt_cache_key: z.string().nullish(),
  service_tier: z.enum(['auto', 'default']).nullish(),
  truncation: z.string().nullish(),
  top_logprobs: z.number().nullish(),
  prompt: z.unknown().optional(),
  context_management: z.unknown().optional(),
  moderation: z.unknown().optional(),
})

/** A request for a response, checked as far as one field alone can be. */
export type CreateRequest = z.infer<typeof schema>

const knownFields: ReadonlySet<string> = new Set(Object.keys(schema.shape))

export interface ReadRequest {
  readonly request: CreateRequest
  /** Fields that do nothing here. */
  readonly ignored: readonly string[]
}

/** Throws `ApiError` 400, whose `param` names the location. `strict`: also for fields that the API does not have. */
export function readRequest(body: unknown, strict: boolean): ReadRequest {
  const request = parseBody(schema, body)
  for (const [field, isUsed] of Object.entries(unsupported)) {
    if (isUsed(request)) {
      const message = `'${field}' is not supported by this server. Leave it out.`
      throw badRequest(message, { code: 'unsupported_parameter', param: field })
    }
  }
  if (request.conversation != null && request.previous_response_id != null) {
    const message = '`conversation` and `previous_response_id` both say what comes before. Give one of them.'
    throw badRequest(message, { param: 'previous_response_id', code: 'mutually_exclusive_parameters' })
  }
  if (request.background === true && request.store === false) {
    const message = 'A background response has to be stored. Leave `store` out, or set it to true.'
    throw badRequest(message, { param: 'background', code: 'background_needs_store' })
  }
  const ignored = ignoredFields(request)
  if (strict && ignored[0] !== undefined) {
    const message = `Unknown parameter: '${ignored[0]}'.`
    throw badRequest(message, { code: 'unknown_parameter', param: ignored[0] })
  }
  return { request, ignored }
}

/** Members of fields that are known here; others of their members do nothing. */
const knownMembers = {
  reasoning: ['effort', 'summary'],
  text: ['format'],
  stream_options: [],
} as const satisfies { readonly [Field in keyof CreateRequest]?: readonly string[] }

const knownIncludes: ReadonlySet<string> = new Set([
  ...shownOnRequest,
  // Shown always.
  'message.input_image.image_url',
  'computer_call_output.output.image_url',
])

function ignoredFields(request: CreateRequest): readonly string[] {
  const outside = Object.keys(request).filter((field) => !knownFields.has(field))
  const members = Object.entries(knownMembers).flatMap(([field, known]: [string, readonly string[]]) =>
    Object.entries(request[field] ?? {}).flatMap(([name, value]) =>
      value == null || value === false || known.includes(name) ? [] : `${field}.${name}`,
    ),
  )
  const includes = (request.include ?? []).filter((name) => !knownIncludes.has(name))
  return [...outside, ...members, ...includes.map((name) => `include.${name}`)]
}

const unsupported: Readonly<Record<string, (request: CreateRequest) => boolean>> = {
  prompt: ({ prompt }) => prompt != null,
  top_logprobs: ({ top_logprobs: most }) => most != null && most > 0,
  truncation: ({ truncation }) => truncation != null && truncation !== 'disabled',
  context_management: ({ context_management: management }) => management != null,
  moderation: ({ moderation }) => moderation != null,
  'text.format': ({ text }) => !['text', 'json_schema', undefined].includes(text?.format?.type),
}

const conversationSchema = z.looseObject({
  metadata: metadata.nullish(),
  items: z.array(item).max(20, 'has more than 20 items').nullish(),
})
const itemsSchema = z.looseObject({ items: z.array(item).max(20, 'has more than 20 items') })

export const readConversation = (body: unknown) => parseBody(conversationSchema, body ?? {})
export const readItems = (body: unknown) => parseBody(itemsSchema, body)

function parseBody<T>(checked: z.ZodType<T>, body: unknown): T {
  if (!isObject(body)) throw badRequest('The body is no JSON object.', { code: 'invalid_json' })
  const read = checked.safeParse(body)
  if (read.success) return read.data
  const [issue] = read.error.issues
  const param = (issue?.path ?? []).reduce<string>(
    (path, key) => (typeof key === 'number' ? `${path}[${key}]` : `${path}${path && '.'}${String(key)}`),
    '',
  )
  const code = valueAt(body, issue?.path ?? []) === undefined ? 'missing_required_parameter' : 'invalid_type'
  throw badRequest(`Invalid value for '${param}': ${issue?.message ?? 'it does not fit'}.`, { code, param })
}

function valueAt(body: JsonObject, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (value, key) => (typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined),
    body,
  )
}
