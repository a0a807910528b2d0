import { SpanKind, trace, type Attributes } from '@opentelemetry/api'
import type { Settings, TurnInfo } from '@steploop/core'
import { addUsage, createTurnCollector, type TurnEvent } from '@steploop/core/adapter'
import { endSpan } from './end-span.ts'
import { known, type Instruments } from './instruments.ts'
import { secondsBetween } from './time.ts'
import { finishReasonName, own, type Names } from './names.ts'
import { errorTypeOf } from './run-end.ts'
import type { RunRecord, TurnRecord } from './records.ts'
import { entering, plainName, safely, type Entered } from './safely.ts'
import type { AnswerLabels, ModelName } from './made-once.ts'
import { answerContent, emitDetails, requestContent } from './turn-content.ts'

type Batch = readonly TurnEvent[]

type TurnEnd = Extract<TurnEvent, { type: 'turn-end' }>

/** By hand, not as a generator: each batch costs one promise, and leaving it in the middle ends the span at once. */
export function recordTurn(run: RunRecord, info: TurnInfo, next: () => AsyncIterable<Batch>): AsyncIterable<Batch> {
  return { [Symbol.asyncIterator]: () => iterate(run, info, next) }
}

function iterate(run: RunRecord, info: TurnInfo, next: () => AsyncIterable<Batch>): AsyncIterator<Batch> {
  run.requests++
  const turn = opened(begin(run, info))
  const fail = (error: unknown): void => {
    if (run.open.delete(turn)) end(turn, { errorType: errorTypeOf(error) })
  }
  const take = (result: IteratorResult<Batch>): void => {
    if (!run.open.has(turn)) return
    try {
      look(turn, result)
    } catch {
      // What cannot be looked at is the loop's business.
    }
  }
  let entered: Entered<AsyncIterator<Batch>>
  try {
    entered = entering(turn.context, () => next()[Symbol.asyncIterator]())
  } catch (error) {
    fail(error)
    throw error
  }
  const { made: iterator, again } = entered
  const ask = (): Promise<IteratorResult<Batch>> => iterator.next()
  return {
    next() {
      // The loop waits for this very promise, and is told after us.
      const asked = again(ask)
      asked.then(take, fail)
      return asked
    },
    return: async () => {
      if (run.open.delete(turn)) end(turn, { errorType: info.signal.aborted ? 'aborted' : '_OTHER' })
      await iterator.return?.()
      return { done: true, value: undefined }
    },
  }
}

function opened(turn: TurnRecord): TurnRecord {
  turn.run.open.set(turn, (errorType) => end(turn, { errorType }))
  return turn
}

function begin(run: RunRecord, info: TurnInfo): TurnRecord {
  const { content } = run.setup
  const model = run.setup.nameOf(info.model)
  const attributes = requestAttributes(run, info, model)
  const asked = content === undefined ? {} : (safely(() => requestContent(run.setup, info)) ?? {})
  const began = performance.now()
  const span = safely(() => {
    const started = run.tracer?.startSpan(
      model.spanName,
      { kind: SpanKind.CLIENT, attributes, startTime: run.origin + began },
      run.context,
    )
    if (content?.on === 'spans') safely(() => started?.setAttributes(asked))
    return started
  })
  return {
    run,
    streamed: info.mode === 'stream',
    span,
    context: span === undefined ? run.context : trace.setSpan(run.context, span),
    began,
    model,
    attributes,
    asked,
    collector: content && createTurnCollector(),
    lastChunk: began,
    chunks: 0,
    responseId: undefined,
    responseModel: undefined,
  }
}

function requestAttributes(
  run: RunRecord,
  { step, attempt, mode, request }: TurnInfo,
  { labels }: ModelName,
): Attributes {
  const { names } = run.setup
  const { settings, responseFormat, continuation } = request
  const attributes: Attributes = {
    ...labels,
    [names.conversation]: run.conversation,
    [own.step]: step,
    [own.attempt]: attempt,
  }
  if (mode === 'stream') attributes[names.stream] = true
  if (responseFormat !== undefined) attributes[names.outputType] = 'json'
  if (settings !== undefined) Object.assign(attributes, settingAttributes(names, settings))
  if (continuation !== undefined && names.previousResponse !== undefined)
    attributes[names.previousResponse] = plainName(continuation.responseId)
  return attributes
}

function settingAttributes(names: Names, settings: Settings): Attributes {
  return known({
    [names.maxTokens]: settings.maxOutputTokens,
    [names.temperature]: settings.temperature,
    [names.topP]: settings.topP,
    [names.topK]: settings.topK,
    [names.frequencyPenalty]: settings.frequencyPenalty,
    [names.presencePenalty]: settings.presencePenalty,
    [names.seed]: settings.seed,
    [names.stopSequences]: settings.stopSequences?.slice(),
    ...(names.reasoningLevel !== undefined && { [names.reasoningLevel]: settings.reasoning }),
  })
}

/** What the batch says of the request, which is over with its last event. */
function look(turn: TurnRecord, { done, value: batch }: IteratorResult<Batch, unknown>): void {
  const { run } = turn
  if (done || !Array.isArray(batch)) return
  if (turn.streamed) countChunk(turn)
  const events = batch as Batch
  turn.collector?.push(events)
  const [first] = events
  if (first?.type === 'turn-start') {
    turn.responseId = first.responseId
    turn.responseModel = first.model
  }
  const last = events.at(-1)
  if (last?.type !== 'turn-end') return
  run.open.delete(turn)
  end(turn, { last })
}

function countChunk(turn: TurnRecord): void {
  const { instruments } = turn.run
  const isFirst = turn.chunks++ === 0
  if (!isFirst && instruments === undefined) return
  const now = performance.now()
  const metric = isFirst ? instruments?.timeToFirstChunk : instruments?.timePerChunk
  if (isFirst && turn.span?.isRecording())
    turn.span.setAttribute(turn.run.setup.names.timeToFirstChunk, (now - turn.began) / 1000)
  metric?.record((now - turn.lastChunk) / 1000, turn.model.labels)
  turn.lastChunk = now
}

interface TurnOutcome {
  readonly errorType?: string | undefined
  readonly last?: TurnEnd | undefined
}

function end(turn: TurnRecord, { errorType, last }: TurnOutcome): void {
  const { run, span } = turn
  const { content } = run.setup
  const ended = performance.now()
  const responseModel = plain(last?.model ?? turn.responseModel)
  const usage = addUsage(undefined, last?.usage)
  const answered = span === undefined && content === undefined ? {} : answerAttributes(turn, { errorType, last }, usage)
  const said = content && safely(() => answerContent(turn))
  if (content?.on === 'events')
    safely(() => emitDetails(turn, { ...turn.attributes, ...answered, ...turn.asked, ...said }))
  if (span !== undefined)
    endSpan(span, content?.on === 'spans' ? { ...answered, ...said } : answered, {
      failed: errorType !== undefined,
      time: run.origin + ended,
    })
  const { instruments } = run
  if (instruments === undefined) return
  const labels = turn.model.labelsOf(responseModel)
  safely(() =>
    instruments.duration.record(
      secondsBetween(turn.began, ended),
      errorType === undefined ? labels.plain : { ...labels.plain, [run.setup.names.errorType]: errorType },
    ),
  )
  safely(() => countTokens(instruments, labels, usage))
}

function answerAttributes(
  turn: TurnRecord,
  { errorType, last }: TurnOutcome,
  usage: ReturnType<typeof addUsage>,
): Attributes {
  const { names } = turn.run.setup
  const attributes: Attributes = {}
  if (errorType !== undefined) attributes[names.errorType] = errorType
  const responseId = last?.responseId ?? turn.responseId
  if (responseId !== undefined) attributes[names.responseId] = plainName(responseId)
  const responseModel = last?.model ?? turn.responseModel
  if (responseModel !== undefined) attributes[names.responseModel] = plainName(responseModel)
  if (last !== undefined) attributes[names.finishReasons] = [finishReasonName(last.finishReason)]
  if (usage?.inputTokens !== undefined) attributes[names.inputTokens] = usage.inputTokens
  if (usage?.outputTokens !== undefined) attributes[names.outputTokens] = usage.outputTokens
  if (usage?.cachedInputTokens !== undefined) attributes[names.cacheReadTokens] = usage.cachedInputTokens
  if (usage?.cacheWriteTokens !== undefined) attributes[names.cacheWriteTokens] = usage.cacheWriteTokens
  if (usage?.reasoningTokens !== undefined) attributes[names.reasoningTokens] = usage.reasoningTokens
  return attributes
}

function plain(text: string | undefined): string | undefined {
  return text === undefined ? undefined : plainName(text)
}

const kinds = ['input', 'output', 'cacheRead', 'cacheWrite', 'reasoning'] as const

function countTokens(
  { usage: counters, perRequest, tokenUsage }: Instruments,
  labels: AnswerLabels,
  usage: ReturnType<typeof addUsage>,
): void {
  if (usage === undefined) return
  const { inputTokens: input, outputTokens: output, cachedInputTokens: cacheRead } = usage
  const tokens = { input, output, cacheRead, cacheWrite: usage.cacheWriteTokens, reasoning: usage.reasoningTokens }
  for (const kind of kinds) {
    const count = tokens[kind]
    if (count !== undefined) counters?.[kind].add(count, labels.withModality)
  }
  for (const type of ['input', 'output'] as const) {
    const count = tokens[type]
    if (count === undefined) continue
    perRequest?.[type].record(count, labels.plain)
    tokenUsage?.record(count, labels.ofTokens[type])
  }
}
