import { z } from 'zod'

import { integer } from '../../simulate/integer.ts'
import { content } from './content-schema.ts'
import { message } from './proto-message.ts'

const names = z.array(z.string())

/** The subset of OpenAPI schemas in `parameters` and `responseSchema`. https://ai.google.dev/api/caching#Schema */
const openApiSchema: z.ZodType = z.lazy(() =>
  message({
    type: z
      .string()
      .regex(/^(string|number|integer|boolean|array|object|null)$/i)
      .optional(),
    format: z.string().optional(),
    title: z.string().optional(),
    description: z.string().optional(),
    nullable: z.boolean().optional(),
    enum: names.optional(),
    items: openApiSchema.optional(),
    minItems: z.union([z.string(), integer(0)]).optional(),
    maxItems: z.union([z.string(), integer(0)]).optional(),
    minLength: z.union([z.string(), integer(0)]).optional(),
    maxLength: z.union([z.string(), integer(0)]).optional(),
    minProperties: z.union([z.string(), integer(0)]).optional(),
    maxProperties: z.union([z.string(), integer(0)]).optional(),
    minimum: z.number().optional(),
    maximum: z.number().optional(),
    pattern: z.string().optional(),
    properties: z.record(z.string(), openApiSchema).optional(),
    required: names.optional(),
    propertyOrdering: names.optional(),
    anyOf: z.array(openApiSchema).optional(),
    default: z.unknown().optional(),
    example: z.unknown().optional(),
  }),
)

const functionDeclaration = message({
  name: z.string().regex(/^[a-zA-Z_][a-zA-Z0-9_.:-]{0,127}$/),
  description: z.string().optional(),
  behavior: z.enum(['BLOCKING', 'NON_BLOCKING']).optional(),
  parameters: openApiSchema.optional(),
  parametersJsonSchema: z.unknown().optional(),
  response: openApiSchema.optional(),
  responseJsonSchema: z.unknown().optional(),
})

const builtIn = z.looseObject({}).optional()
const tool = {
  functionDeclarations: z.array(functionDeclaration).optional(),
  googleSearch: builtIn,
  googleSearchRetrieval: builtIn,
  codeExecution: builtIn,
  urlContext: builtIn,
  fileSearch: builtIn,
  googleMaps: builtIn,
  computerUse: builtIn,
}

const functionCallingConfig = {
  mode: z.enum(['AUTO', 'ANY', 'NONE', 'VALIDATED']).optional(),
  allowedFunctionNames: names.optional(),
}

const generationConfig = {
  candidateCount: integer(1, 8).optional(),
  stopSequences: names.max(5).optional(),
  maxOutputTokens: integer(1).optional(),
  temperature: z.number().min(0).max(2).optional(),
  topP: z.number().min(0).max(1).optional(),
  topK: integer(1).optional(),
  seed: integer().optional(),
  presencePenalty: z.number().min(-2).max(2).optional(),
  frequencyPenalty: z.number().min(-2).max(2).optional(),
  responseMimeType: z.enum(['text/plain', 'application/json', 'text/x.enum']).optional(),
  responseSchema: openApiSchema.optional(),
  responseJsonSchema: z.unknown().optional(),
  responseModalities: z.array(z.enum(['TEXT', 'IMAGE', 'AUDIO'])).optional(),
  responseLogprobs: z.boolean().optional(),
  logprobs: integer(0, 20).optional(),
  mediaResolution: z.string().optional(),
  speechConfig: z.looseObject({}).optional(),
  imageConfig: z.looseObject({}).optional(),
  thinkingConfig: message({
    includeThoughts: z.boolean().optional(),
    thinkingBudget: integer(-1).optional(),
    // The guide writes them in lower case, the reference in capitals: https://ai.google.dev/gemini-api/docs/thinking
    thinkingLevel: z.enum(['MINIMAL', 'LOW', 'MEDIUM', 'HIGH', 'minimal', 'low', 'medium', 'high']).optional(),
  }).optional(),
}

const body = {
  model: z.string().optional(),
  contents: z.array(content),
  systemInstruction: content.optional(),
  safetySettings: z
    .array(message({ category: z.string(), threshold: z.string(), method: z.string().optional() }))
    .optional(),
  cachedContent: z.string().optional(),
  serviceTier: z.string().optional(),
}

/** Body of the Gemini API's generateContent. https://ai.google.dev/api/generate-content */
export const geminiRequest = message({
  ...body,
  store: z.boolean().optional(),
  tools: z.array(message({ ...tool, mcpServers: z.array(z.looseObject({})).optional() })).optional(),
  toolConfig: message({
    functionCallingConfig: message(functionCallingConfig).optional(),
    retrievalConfig: z.looseObject({}).optional(),
    includeServerSideToolInvocations: z.boolean().optional(),
  }).optional(),
  generationConfig: message(generationConfig).optional(),
})

/** Body of Vertex AI's generateContent. https://cloud.google.com/vertex-ai/generative-ai/docs/model-reference/inference */
export const vertexRequest = message({
  ...body,
  labels: z.record(z.string(), z.string()).optional(),
  modelArmorConfig: message({
    promptTemplateName: z.string().optional(),
    responseTemplateName: z.string().optional(),
  }).optional(),
  tools: z.array(message({ ...tool, retrieval: builtIn, enterpriseWebSearch: builtIn })).optional(),
  toolConfig: message({
    functionCallingConfig: message({
      ...functionCallingConfig,
      streamFunctionCallArguments: z.boolean().optional(),
    }).optional(),
    retrievalConfig: z.looseObject({}).optional(),
  }).optional(),
  generationConfig: message({
    ...generationConfig,
    audioTimestamp: z.boolean().optional(),
    routingConfig: z.looseObject({}).optional(),
  }).optional(),
})
