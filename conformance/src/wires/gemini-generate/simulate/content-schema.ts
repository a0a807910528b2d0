import { z } from 'zod'

import { message } from './proto-message.ts'

const struct = z.record(z.string(), z.unknown())
const mimeType = z.string().min(1)

/** Bytes travel as base64, in either alphabet. */
const bytes = z.string().regex(/^[A-Za-z0-9+/_-]*={0,2}$/)

const inlineData = message({ mimeType, data: bytes.min(1), displayName: z.string().optional() })
const fileData = message({
  mimeType: mimeType.optional(),
  fileUri: z.string().min(1),
  displayName: z.string().optional(),
})

const executableCode = message({ language: z.literal('PYTHON'), code: z.string(), id: z.string().optional() })
const codeExecutionResult = message({
  outcome: z.enum(['OUTCOME_OK', 'OUTCOME_FAILED', 'OUTCOME_DEADLINE_EXCEEDED']),
  output: z.string().optional(),
  id: z.string().optional(),
})
const toolType = z.enum([
  'GOOGLE_SEARCH_WEB',
  'GOOGLE_SEARCH_IMAGE',
  'URL_CONTEXT',
  'GOOGLE_MAPS',
  'FILE_SEARCH',
  'MEDIA_PROCESSING',
])

/** https://ai.google.dev/api/caching#Part */
const part = message({
  text: z.string().optional(),
  inlineData: inlineData.optional(),
  fileData: fileData.optional(),
  functionCall: message({ id: z.string().optional(), name: z.string(), args: struct.optional() }).optional(),
  functionResponse: message({
    id: z.string().optional(),
    name: z.string(),
    response: struct,
    parts: z.array(message({ inlineData: inlineData.optional(), fileData: fileData.optional() })).optional(),
    willContinue: z.boolean().optional(),
    scheduling: z.enum(['SILENT', 'WHEN_IDLE', 'INTERRUPT']).optional(),
  }).optional(),
  executableCode: executableCode.optional(),
  codeExecutionResult: codeExecutionResult.optional(),
  toolCall: message({ id: z.string().optional(), toolType, args: struct.optional() }).optional(),
  toolResponse: message({ id: z.string().optional(), toolType, response: struct.optional() }).optional(),
  thought: z.boolean().optional(),
  thoughtSignature: bytes.optional(),
  videoMetadata: message({
    startOffset: z.string().optional(),
    endOffset: z.string().optional(),
    fps: z.number().optional(),
  }).optional(),
  mediaResolution: z.union([z.string(), z.looseObject({})]).optional(),
  partMetadata: struct.optional(),
})

/** A content; who may say what is checked apart. */
export const content = message({ role: z.string().optional(), parts: z.array(part).optional() })

/** What a part says; exactly one of them has to be there. */
export const partData = [
  'text',
  'inlineData',
  'fileData',
  'functionCall',
  'functionResponse',
  'executableCode',
  'codeExecutionResult',
  'toolCall',
  'toolResponse',
] as const
