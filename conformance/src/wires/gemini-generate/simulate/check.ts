import { arrayOf, isObject, objectOf, textOf } from '@steploop/core/adapter'
import type { z } from 'zod'
import { findShapeFault } from '../../simulate/shape-fault.ts'
import type { JsonObject, Memory, Rejection } from '../../simulate/wire-simulation.ts'
import { checkGeneration } from './check-generation.ts'
import { checkParts } from './check-parts.ts'
import { checkSignatures } from './check-signatures.ts'
import { checkTools } from './check-tools.ts'
import { checkTurns } from './check-turns.ts'
import { generationOf } from './generation.ts'
import { invalidArgument } from '../../simulate/google-status.ts'
import { shapeRejection } from './rejections.ts'
import { geminiRequest, vertexRequest } from './request-schema.ts'
import type { Content } from './contents.ts'

/**
 * What the Gemini API refuses. With `memory`, signatures have to be those of this simulator; `named` is what the path says: the model
 * decides whether calls need a signature.
 */
export function check(body: unknown, memory?: Memory, named?: JsonObject): Rejection | undefined {
  const model = textOf(objectOf(named)['model'])
  return checkRequest(body, geminiRequest, { known: memory !== undefined, model, combinesSilently: false })
}

/** Vertex AI has other members, and shows no calls of built-in tools. */
export function checkVertex(body: unknown, memory?: Memory, named?: JsonObject): Rejection | undefined {
  const model = textOf(objectOf(named)['model'])
  return checkRequest(body, vertexRequest, { known: memory !== undefined, model, combinesSilently: true })
}

interface Strictness {
  /** Whether all signatures were made here. */
  readonly known: boolean
  readonly model: string | undefined
  /** Whether built-in tools go with functions without further ado. */
  readonly combinesSilently: boolean
}

function checkRequest(body: unknown, schema: z.ZodType, strictness: Strictness): Rejection | undefined {
  if (!isObject(body)) return invalidArgument('Invalid JSON payload received. Expected an object with the request.')
  const fault = findShapeFault(schema, body)
  if (fault !== undefined) return shapeRejection(fault)
  const request = objectOf(schema.parse(body))
  const contents = arrayOf(request['contents']).map(objectOf).map(readContent)
  const generation = strictness.model === undefined ? undefined : generationOf(strictness.model)
  return (
    checkParts(contents) ??
    checkTools(request, strictness.combinesSilently) ??
    checkGeneration(request, generation) ??
    checkTurns(contents) ??
    checkSignatures(contents, { known: strictness.known, required: generation !== undefined && generation >= 3 })
  )
}

function readContent(content: JsonObject): Content {
  return { role: textOf(content['role']) ?? 'user', parts: arrayOf(content['parts']).map(objectOf) }
}
