import { z } from 'zod'

const name = z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/)
const cachePoint = z.strictObject({ type: z.literal('default'), ttl: z.enum(['5m', '1h']).optional() })
const s3Location = z.strictObject({ uri: z.string().startsWith('s3://'), bucketOwner: z.string().optional() })
const source = z.union([z.strictObject({ bytes: z.base64() }), z.strictObject({ s3Location })])

const image = z.strictObject({ format: z.enum(['png', 'jpeg', 'gif', 'webp']), source })
const video = z.strictObject({
  format: z.enum(['mkv', 'mov', 'mp4', 'webm', 'flv', 'mpeg', 'mpg', 'wmv', 'three_gp']),
  source,
})
const document = z.strictObject({
  format: z.enum(['pdf', 'csv', 'doc', 'docx', 'xls', 'xlsx', 'html', 'txt', 'md']).optional(),
  // "alphanumeric characters, whitespace characters (no more than one in a row), hyphens, parentheses, and square brackets"
  name: z.string().regex(/^(?!.*\s\s)[a-zA-Z0-9\s\-()[\]]{1,200}$/),
  source: z.union([source, z.strictObject({ text: z.string() })]),
  context: z.string().optional(),
  citations: z.strictObject({ enabled: z.boolean() }).optional(),
})

const resultBlock = z.union([
  z.strictObject({ text: z.string() }),
  z.strictObject({ json: z.record(z.string(), z.unknown()) }),
  z.strictObject({ image }),
  z.strictObject({ document }),
  z.strictObject({ video }),
])

const toolResult = z.strictObject({
  toolUseId: name,
  content: z.array(resultBlock),
  status: z.enum(['success', 'error']).optional(),
  type: z.string().optional(),
})

const toolUse = z.strictObject({
  toolUseId: name,
  name,
  input: z.record(z.string(), z.unknown()),
  type: z.literal('server_tool_use').optional(),
})

const reasoningContent = z.union([
  z.strictObject({ reasoningText: z.strictObject({ text: z.string(), signature: z.string().optional() }) }),
  z.strictObject({ redactedContent: z.base64() }),
])

const spanOf = (index: string) =>
  z.strictObject({ [index]: z.int().optional(), start: z.int().optional(), end: z.int().optional() })

const citationLocation = z.union([
  z.strictObject({ web: z.strictObject({ url: z.string().optional(), domain: z.string().optional() }) }),
  z.strictObject({ documentChar: spanOf('documentIndex') }),
  z.strictObject({ documentPage: spanOf('documentIndex') }),
  z.strictObject({ documentChunk: spanOf('documentIndex') }),
  z.strictObject({ searchResultLocation: spanOf('searchResultIndex') }),
])

const citationsContent = z.strictObject({
  content: z.array(z.strictObject({ text: z.string() })),
  citations: z.array(
    z.strictObject({
      title: z.string().optional(),
      source: z.string().optional(),
      sourceContent: z.array(z.strictObject({ text: z.string() })).optional(),
      location: citationLocation.optional(),
    }),
  ),
})

const guardContent = z.record(z.string(), z.unknown())

const block = z.union([
  z.strictObject({ text: z.string() }),
  z.strictObject({ image }),
  z.strictObject({ document }),
  z.strictObject({ video }),
  z.strictObject({ toolUse }),
  z.strictObject({ toolResult }),
  z.strictObject({ reasoningContent }),
  z.strictObject({ citationsContent }),
  z.strictObject({ guardContent }),
  z.strictObject({ cachePoint }),
])

const toolSpec = z.strictObject({
  name,
  description: z.string().min(1).optional(),
  inputSchema: z.strictObject({ json: z.looseObject({ type: z.literal('object') }) }),
  strict: z.boolean().optional(),
})

const empty = z.strictObject({})

/** Body of Converse and ConverseStream, by the reference and the types of the SDK; fields of the model are the model's matter. */
export const requestSchema = z.strictObject({
  messages: z.array(z.strictObject({ role: z.enum(['user', 'assistant']), content: z.array(block).min(1) })).min(1),
  system: z
    .array(
      z.union([
        z.strictObject({ text: z.string().min(1) }),
        z.strictObject({ cachePoint }),
        z.strictObject({ guardContent }),
      ]),
    )
    .optional(),
  inferenceConfig: z
    .strictObject({
      maxTokens: z.int().min(1).optional(),
      temperature: z.number().min(0).max(1).optional(),
      topP: z.number().min(0).max(1).optional(),
      stopSequences: z.array(z.string().min(1)).max(2500).optional(),
    })
    .optional(),
  toolConfig: z
    .strictObject({
      tools: z
        .array(
          z.union([
            z.strictObject({ toolSpec }),
            z.strictObject({ cachePoint }),
            z.strictObject({ systemTool: z.strictObject({ name }) }),
          ]),
        )
        .min(1),
      toolChoice: z
        .union([
          z.strictObject({ auto: empty }),
          z.strictObject({ any: empty }),
          z.strictObject({ tool: z.strictObject({ name }) }),
        ])
        .optional(),
    })
    .optional(),
  guardrailConfig: z.record(z.string(), z.unknown()).optional(),
  additionalModelRequestFields: z.record(z.string(), z.unknown()).optional(),
  additionalModelResponseFieldPaths: z.array(z.string()).max(10).optional(),
  promptVariables: z.record(z.string(), z.unknown()).optional(),
  requestMetadata: z.record(z.string(), z.string()).optional(),
  performanceConfig: z.strictObject({ latency: z.enum(['standard', 'optimized']).optional() }).optional(),
  serviceTier: z.strictObject({ type: z.enum(['default', 'flex', 'priority', 'reserved']) }).optional(),
  outputConfig: z
    .strictObject({
      textFormat: z
        .strictObject({
          type: z.literal('json_schema'),
          structure: z.strictObject({
            jsonSchema: z.strictObject({
              schema: z.string(),
              name: z.string().optional(),
              description: z.string().optional(),
            }),
          }),
        })
        .optional(),
      effort: z.string().optional(),
    })
    .optional(),
})
