import { isObject } from '@steploop/core/adapter'
import { parsed } from '../../../json.ts'
import type { ScriptedAnswer, ScriptedPart } from '../../../script.ts'
import { obfuscation, pieces } from '../../simulate/pieces.ts'
import { argumentsText, callsOf, usageOf } from '../../simulate/scripted-answer.ts'
import type { AnswerContext, JsonObject, Rejection, StreamedAnswer } from '../../simulate/wire-simulation.ts'
import { signatureStart } from './check.ts'
import { exceptionMessage } from '../../simulate/aws-endpoint.ts'
import { eventMessage, jsonMessage } from '../../simulate/event-message.ts'

/** https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html */
export function answerJson(answer: ScriptedAnswer, context: AnswerContext): JsonObject {
  return {
    metrics: { latencyMs: 900 + context.turn },
    output: { message: { role: 'assistant', content: blocksOf(answer, context) } },
    stopReason: stopOf(answer),
    usage: wireUsage(answer, context),
  }
}

/** https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStream.html: usage comes behind the end. */
export function answerStream(answer: ScriptedAnswer, context: AnswerContext): StreamedAnswer<Uint8Array> {
  const frames = contentFrames(answer, context)
  const end = jsonMessage('messageStop', padded({ stopReason: stopOf(answer) }, frames.length))
  const metadata = { metrics: { latencyMs: 900 + context.turn }, usage: wireUsage(answer, context) }
  return {
    frames: [...frames, end, jsonMessage('metadata', padded(metadata, frames.length + 1))],
    terminal: frames.length,
    rubbish: eventMessage('contentBlockDelta', `{"contentBlockIndex":0,"delta": kein JSON 東京`),
  }
}

export function failureStream(
  refusal: Rejection,
  before: ScriptedAnswer,
  context: AnswerContext,
): readonly Uint8Array[] {
  return [...contentFrames(before, context), exceptionMessage(refusal)]
}

function contentFrames(answer: ScriptedAnswer, context: AnswerContext): readonly Uint8Array[] {
  const events: (readonly [string, JsonObject])[] = [['messageStart', { role: 'assistant' }]]
  for (const [index, block] of streamBlocks(answer, context).entries()) {
    const at = { contentBlockIndex: index }
    if (block.start !== undefined) events.push(['contentBlockStart', { ...at, start: block.start }])
    for (const delta of block.deltas) events.push(['contentBlockDelta', { ...at, delta }])
    events.push(['contentBlockStop', at])
  }
  return events.map(([type, payload], ordinal) => jsonMessage(type, padded(payload, ordinal)))
}

/** Payloads are padded by letters against guesses from their size. */
function padded(payload: JsonObject, ordinal: number): JsonObject {
  return { ...payload, p: obfuscation(ordinal) }
}

interface StreamBlock {
  /** Blocks of text and thoughts begin without one. */
  readonly start?: JsonObject
  readonly deltas: readonly JsonObject[]
}

function streamBlocks(answer: ScriptedAnswer, context: AnswerContext): readonly StreamBlock[] {
  let calls = 0
  return shown(answer, context).flatMap((part): readonly StreamBlock[] => {
    switch (part.type) {
      case 'text':
      case 'refusal':
        return textBlocks(part).map(({ text, citation }) => ({
          deltas: [
            ...(citation === undefined ? [] : [{ citation }]),
            ...pieces(text).map((piece) => ({ text: piece })),
          ],
        }))
      case 'reasoning':
        if (part.sealed) return [{ deltas: [{ reasoningContent: { redactedContent: sealed(part.text) } }] }]
        return [
          {
            deltas: [
              ...pieces(part.text).map((text) => ({ reasoningContent: { text } })),
              { reasoningContent: { signature: signatureOf(part.text, context) } },
            ],
          },
        ]
      case 'call': {
        const toolUse = { toolUseId: part.id ?? callId(context, calls++), name: part.toolName }
        const text = argumentsText(part)
        return [
          {
            start: { toolUse },
            deltas: (text === '{}' ? [''] : pieces(text)).map((input) => ({ toolUse: { input } })),
          },
        ]
      }
      case 'file':
      case 'provider-call':
      default:
        return []
    }
  })
}

function blocksOf(answer: ScriptedAnswer, context: AnswerContext): readonly JsonObject[] {
  let calls = 0
  return shown(answer, context).flatMap((part): readonly JsonObject[] => {
    switch (part.type) {
      case 'text':
      case 'refusal':
        return textBlocks(part).map(({ text, citation }) =>
          citation === undefined ? { text } : { citationsContent: { content: [{ text }], citations: [citation] } },
        )
      case 'reasoning':
        if (part.sealed) return [{ reasoningContent: { redactedContent: sealed(part.text) } }]
        return [
          { reasoningContent: { reasoningText: { text: part.text, signature: signatureOf(part.text, context) } } },
        ]
      case 'call': {
        const toolUseId = part.id ?? callId(context, calls++)
        return [{ toolUse: { toolUseId, name: part.toolName, input: inputOf(argumentsText(part)) } }]
      }
      case 'file':
      case 'provider-call':
      default:
        return []
    }
  })
}

/** Thoughts are shown where the request asks the model to think. */
function shown(answer: ScriptedAnswer, { request }: AnswerContext): readonly ScriptedPart[] {
  return thinks(request) ? answer.parts : answer.parts.filter(({ type }) => type !== 'reasoning')
}

function thinks(request: JsonObject): boolean {
  const fields = request['additionalModelRequestFields']
  const thinking = isObject(fields) ? fields['thinking'] : undefined
  return isObject(thinking) && (thinking['type'] === 'enabled' || thinking['type'] === 'adaptive')
}

interface TextBlock {
  readonly text: string
  readonly citation?: JsonObject | undefined
}

/** What a source supports is a block of its own. */
function textBlocks(part: Extract<ScriptedPart, { type: 'text' | 'refusal' }>): readonly TextBlock[] {
  const citations = part.type === 'text' ? (part.citations ?? []) : []
  const blocks: TextBlock[] = []
  let rest = part.text
  for (const { supports, title, url, quote } of citations) {
    const at = rest.indexOf(supports)
    if (at < 0) continue
    if (at > 0) blocks.push({ text: rest.slice(0, at) })
    const location = { web: { url, domain: new URL(url).host } }
    blocks.push({ text: supports, citation: { title, source: url, sourceContent: [{ text: quote }], location } })
    rest = rest.slice(at + supports.length)
  }
  if (rest !== '') blocks.push({ text: rest })
  return blocks
}

/** Input of a call: nothing is left of arguments that were cut. */
function inputOf(text: string): JsonObject {
  const value = parsed(text)
  return isObject(value) ? value : {}
}

function callId({ turn }: AnswerContext, index: number): string {
  return `tooluse_s${String(turn).padStart(3, '0')}n${String(index + 1).padStart(3, '0')}`
}

function signatureOf(text: string, { turn }: AnswerContext): string {
  return signatureStart + Buffer.from(`${turn} ${text}`).toString('base64')
}

function sealed(text: string): string {
  return Buffer.from(`sealed: ${text}`).toString('base64')
}

/** Cached tokens are not in `inputTokens`. */
function wireUsage(answer: ScriptedAnswer, context: AnswerContext): JsonObject {
  const isShown = thinks(context.request) && answer.parts.some(({ type }) => type === 'reasoning')
  const usage = usageOf(answer, context.turn, isShown)
  const { cachedInputTokens: read, cacheWriteTokens: written } = usage
  return {
    cacheReadInputTokenCount: read,
    cacheReadInputTokens: read,
    cacheWriteInputTokenCount: written,
    cacheWriteInputTokens: written,
    inputTokens: usage.inputTokens - read - written,
    outputTokens: usage.outputTokens,
    totalTokens: usage.inputTokens + usage.outputTokens,
  }
}

function stopOf(answer: ScriptedAnswer): string {
  switch (answer.finish) {
    case 'length':
      return 'max_tokens'
    case 'content-filter':
      return 'content_filtered'
    case 'guardrail':
      return 'guardrail_intervened'
    case 'unheard-of':
      return 'something_new'
    case undefined:
    case 'pause':
    case 'stop':
    default:
      return callsOf(answer).length > 0 ? 'tool_use' : 'end_turn'
  }
}
