import { arrayOf, isObject, numberOf, objectOf, textOf, type JsonObject } from '@steploop/core/adapter'
import { memberText } from '../../json.ts'
import { errorOf, firstText, lastObject, lastText } from '../read/payload.ts'
import { createPartList, type PartList } from '../read/part-list.ts'
import type { ResponseView, ResponseUsage } from '../read/response-view.ts'

/** generateContent: the parts of the first candidate, chunk by chunk; texts of one kind in a row are one part. */
export function readResponse(payloads: readonly JsonObject[]): ResponseView {
  const list = createPartList()
  const candidates = payloads.map((payload) => objectOf(arrayOf(payload['candidates'])[0]))
  readParts(
    candidates.flatMap((candidate) => arrayOf(objectOf(candidate['content'])['parts'])).map((part) => objectOf(part)),
    list,
  )
  const feedback = payloads.map((payload) => objectOf(payload['promptFeedback']))
  return {
    id: firstText(payloads, 'responseId'),
    model: firstText(payloads, 'modelVersion'),
    parts: list.parts(),
    finish: lastText(candidates, 'finishReason') ?? lastText(feedback, 'blockReason'),
    usage: usageOf(lastObject(payloads, 'usageMetadata')),
    error: errorOf(payloads),
  }
}

function readParts(parts: readonly JsonObject[], list: PartList): void {
  let run = 0
  let before = ''
  for (const part of parts) {
    const kind = kindOf(part)
    if (kind !== before || kind === 'call' || kind === 'other') run += 1
    before = kind
    readPart(part, kind, String(run), list)
  }
}

type PartKind = 'text' | 'reasoning' | 'call' | 'other'

function kindOf(part: JsonObject): PartKind {
  if (isObject(part['functionCall'])) return 'call'
  if (typeof part['text'] !== 'string') return 'other'
  return part['thought'] === true ? 'reasoning' : 'text'
}

function readPart(part: JsonObject, kind: PartKind, key: string, list: PartList): void {
  if (kind === 'text' || kind === 'reasoning') return list.append(kind, key, memberText(part, 'text'))
  if (kind === 'other') return list.other(Object.keys(part).find((name) => name !== 'thoughtSignature') ?? 'part', key)
  const call = objectOf(part['functionCall'])
  return list.call(key, { id: textOf(call['id']), toolName: textOf(call['name']), input: call['args'] })
}

function usageOf(usage: JsonObject | undefined): ResponseUsage | undefined {
  if (usage === undefined) return undefined
  const thoughts = numberOf(usage['thoughtsTokenCount'])
  return {
    input: numberOf(usage['promptTokenCount']),
    output: (numberOf(usage['candidatesTokenCount']) ?? 0) + (thoughts ?? 0),
    cached: numberOf(usage['cachedContentTokenCount']),
    reasoning: thoughts,
  }
}
