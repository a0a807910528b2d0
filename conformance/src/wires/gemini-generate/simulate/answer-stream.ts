import type { ScriptedAnswer } from '../../../script.ts'
import { pieces } from '../../simulate/pieces.ts'
import type { AnswerContext, JsonObject, StreamedAnswer } from '../../simulate/wire-simulation.ts'
import { answerJson, contentOf, ending, grounding, partsOf, response, sign, usageMetadata } from './answer.ts'

/**
 * Chunks are partial responses with the usage so far (docs/wire.md#gemini-usage-in-a-stream). Calls come whole. The last chunk has an empty
 * text: signed where the answer has no call (docs/wire.md#gemini-signatures). Nothing to say is one chunk.
 */
export function answerStream(answer: ScriptedAnswer, context: AnswerContext): StreamedAnswer {
  const parts = chunkedParts(answer, context)
  const hasCall = parts.some((part) => part['functionCall'] !== undefined)
  if (parts.length === 0) return { frames: [event(answerJson(answer, context))], terminal: 0 }
  const last = hasCall ? { text: '' } : sign({ text: '' }, context)
  const { finishReason } = ending(answer)
  const chunks = [
    ...parts.map((part, index) => chunk(part, {}, answer, context, (index + 1) / (parts.length + 1))),
    chunk(last, { finishReason, ...grounding(answer) }, answer, context, 1),
  ]
  return { frames: chunks.map(event), terminal: chunks.length - 1 }
}

/** Content as it stands, then the error in a chunk of its own. Nothing follows it. */
export function failureStream(error: JsonObject, before: ScriptedAnswer, context: AnswerContext): readonly string[] {
  const parts = chunkedParts(before, context)
  return [...parts.map((part) => chunk(part, {}, before, context, 1)), error].map(event)
}

function chunkedParts(answer: ScriptedAnswer, context: AnswerContext): readonly JsonObject[] {
  let calls = 0
  return partsOf(answer, context).flatMap((part) => {
    if (typeof part['text'] === 'string') return pieces(part['text']).map((text) => ({ ...part, text }))
    if (part['functionCall'] === undefined) return [part]
    calls += 1
    return [calls === 1 ? sign(part, context) : part]
  })
}

function chunk(
  part: JsonObject,
  end: JsonObject,
  answer: ScriptedAnswer,
  context: AnswerContext,
  share: number,
): JsonObject {
  return response(context, {
    candidate: { content: contentOf([part]), ...end },
    usage: usageMetadata(answer, context, share),
  })
}

/** Lines end in CR LF (docs/wire.md#line-ends). */
function event(data: JsonObject): string {
  return `data: ${JSON.stringify(data)}\r\n\r\n`
}
