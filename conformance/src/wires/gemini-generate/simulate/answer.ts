import { objectOf } from '@steploop/core/adapter'
import type { ScriptedAnswer } from '../../../script.ts'
import {
  argumentsText,
  callsOf,
  joinedCitations,
  joinedText,
  unheardOf,
  usageOf,
  type ScriptedCall,
  type ScriptedProviderCall,
} from '../../simulate/scripted-answer.ts'
import type { AnswerContext, JsonObject } from '../../simulate/wire-simulation.ts'
import { generationOf } from './generation.ts'
import { signatureOf } from './thought-signature.ts'

/** https://ai.google.dev/api/generate-content#generatecontentresponse */
export function answerJson(answer: ScriptedAnswer, context: AnswerContext): JsonObject {
  const parts = signed(partsOf(answer, context), context)
  return response(context, {
    candidate: { content: parts.length > 0 ? contentOf(parts) : emptyContent, ...ending(answer), ...grounding(answer) },
    usage: usageMetadata(answer, context, 1),
  })
}

/** A model that has nothing to say gives a role without parts (docs/wire.md#gemini-missing-parts). */
const emptyContent: JsonObject = { role: 'model' }

/** Locations are counted in bytes of the whole text: https://ai.google.dev/gemini-api/docs/google-search#attributing_sources */
export function grounding(answer: ScriptedAnswer): JsonObject {
  const citations = joinedCitations(answer)
  if (citations.length === 0) return {}
  const whole = joinedText(answer, 'text') ?? ''
  return {
    groundingMetadata: {
      groundingChunks: citations.map(({ url, title }) => ({ web: { uri: url, title } })),
      groundingSupports: citations.map(({ supports, start, end }, index) => ({
        segment: { startIndex: bytesBefore(whole, start), endIndex: bytesBefore(whole, end), text: supports },
        groundingChunkIndices: [index],
      })),
      webSearchQueries: citations.map(({ title }) => title),
    },
  }
}

function bytesBefore(whole: string, index: number): number {
  return new TextEncoder().encode(whole.slice(0, index)).length
}

export function contentOf(parts: readonly JsonObject[]): JsonObject {
  return { parts, role: 'model' }
}

export interface Chunk {
  readonly candidate: JsonObject
  readonly usage: JsonObject
}

export function response(context: AnswerContext, { candidate, usage }: Chunk): JsonObject {
  return {
    candidates: [{ ...candidate, index: 0 }],
    usageMetadata: usage,
    modelVersion: modelOf(context),
    responseId: `sim${context.turn}-gemini`,
  }
}

function modelOf({ request }: AnswerContext): string {
  return typeof request['model'] === 'string' ? request['model'] : 'gemini-3-sim'
}

/**
 * What the model says. Thoughts show only where the request asks for them; there are no refusals, an answer is filtered instead; a call
 * that is no JSON object never leaves the provider.
 */
export function partsOf(answer: ScriptedAnswer, context: AnswerContext): readonly JsonObject[] {
  const thinking = objectOf(objectOf(context.request['generationConfig'])['thinkingConfig'])
  let calls = 0
  return answer.parts.flatMap((part): JsonObject[] => {
    switch (part.type) {
      case 'text':
        return part.text === '' ? [] : [{ text: part.text }]
      case 'reasoning':
        return thinking['includeThoughts'] === true && !part.sealed ? [{ text: part.text, thought: true }] : []
      case 'refusal':
        return []
      case 'file':
        return [{ inlineData: { mimeType: part.mediaType, data: part.data } }]
      case 'call': {
        calls += 1
        const args = objectArguments(part)
        return args === undefined ? [] : [{ functionCall: functionCall(part, args, calls, context) }]
      }
      case 'provider-call': {
        calls += 1
        const id = numbersCalls(context) ? `sim${context.turn}n${calls}` : undefined
        return serverParts(part, id).map((one) => (one['codeExecutionResult'] === undefined ? sign(one, context) : one))
      }
      default:
        return part satisfies never
    }
  })
}

function objectArguments(call: ScriptedCall): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(argumentsText(call))
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? objectOf(value) : undefined
  } catch {
    return undefined
  }
}

/** Only Gemini 3 and later number their calls (docs/wire.md#gemini-ids-of-calls). */
function functionCall(call: ScriptedCall, args: JsonObject, ordinal: number, context: AnswerContext): JsonObject {
  const id = call.id ?? `sim${context.turn}n${ordinal}`
  return { name: call.toolName, args, ...(numbersCalls(context) ? { id } : {}) }
}

function numbersCalls(context: AnswerContext): boolean {
  return generationOf(modelOf(context)) >= 3
}

/** Signs parts: of several calls only the first one; an answer without calls has its signature at the end. */
function signed(parts: readonly JsonObject[], context: AnswerContext): readonly JsonObject[] {
  const call = parts.findIndex((part) => part['functionCall'] !== undefined)
  const signedIndex = call < 0 ? parts.length - 1 : call
  return parts.map((part, index) => (index === signedIndex ? sign(part, context) : part))
}

/** Models that think sign; the older ones do not. */
export function sign(part: JsonObject, context: AnswerContext): JsonObject {
  const thinks = generationOf(modelOf(context)) >= 2.5 && part['thought'] !== true
  return thinks ? { ...part, thoughtSignature: signatureOf(part) } : part
}

/** How the candidate ends: there is no word for calls (docs/wire.md#gemini-finish-reasons), nor for a pause. */
export function ending(answer: ScriptedAnswer): JsonObject {
  const calls = callsOf(answer)
  switch (answer.finish) {
    case 'length':
      return { finishReason: 'MAX_TOKENS' }
    case 'content-filter':
      return { finishReason: 'SAFETY' }
    case 'guardrail':
      return { finishReason: 'PROHIBITED_CONTENT' }
    case 'unheard-of':
      return { finishReason: unheardOf }
    case 'stop':
    case 'pause':
    case undefined:
      if (answer.parts.some((part) => part.type === 'refusal')) return { finishReason: 'SAFETY' }
      if (calls.some((call) => objectArguments(call) === undefined)) {
        return { finishReason: 'MALFORMED_FUNCTION_CALL', finishMessage: 'Malformed function call.' }
      }
      if (calls.length > 0) return { finishReason: 'STOP', finishMessage: 'Model generated function call(s).' }
      return { finishReason: 'STOP' }
    default:
      return answer.finish satisfies never
  }
}

/** Counts of an answer of which a share, from 0 to 1, is out. Thoughts are counted apart. */
export function usageMetadata(answer: ScriptedAnswer, context: AnswerContext, share: number): JsonObject {
  const counts = usageOf(
    answer,
    context.turn,
    answer.parts.some((part) => part.type === 'reasoning'),
  )
  const candidates = Math.round((counts.outputTokens - counts.reasoningTokens) * share)
  const cached = {
    cachedContentTokenCount: counts.cachedInputTokens,
    cacheTokensDetails: text(counts.cachedInputTokens),
  }
  return {
    promptTokenCount: counts.inputTokens,
    candidatesTokenCount: candidates,
    totalTokenCount: counts.inputTokens + candidates + counts.reasoningTokens,
    ...(counts.cachedInputTokens > 0 ? cached : {}),
    promptTokensDetails: text(counts.inputTokens),
    ...(counts.reasoningTokens > 0 ? { thoughtsTokenCount: counts.reasoningTokens } : {}),
    serviceTier: 'standard',
  }
}

function text(tokenCount: number): readonly JsonObject[] {
  return [{ modality: 'TEXT', tokenCount }]
}

/**
 * What Google runs itself: code stands in parts of its own (https://ai.google.dev/gemini-api/docs/code-execution), a search in a call and a
 * response of a tool where the request asks for them. Ids are recorded of Gemini 3 and later only.
 */
function serverParts(call: ScriptedProviderCall, id: string | undefined): readonly JsonObject[] {
  const named = id === undefined ? {} : { id }
  if (call.tool === 'code') {
    return [
      { executableCode: { language: 'PYTHON', code: call.text, ...named } },
      { codeExecutionResult: { outcome: call.fails ? 'OUTCOME_FAILED' : 'OUTCOME_OK', output: call.output, ...named } },
    ]
  }
  const toolType = 'GOOGLE_SEARCH_WEB'
  return [
    { toolCall: { toolType, args: { queries: [call.text] }, ...named } },
    { toolResponse: { toolType, response: { search_suggestions: call.output }, ...named } },
  ]
}
