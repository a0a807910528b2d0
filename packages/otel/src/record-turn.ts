import { SpanKind, trace, type Attributes } from '@opentelemetry/api'
import type { Settings, TurnInfo } from '@steploop/core'
import { addUsage, createTurnCollector, type TurnEvent } from '@steploop/core/adapter'
import { endSpan } from './end-span.ts'
import { known, type Instruments } from './instruments.ts'
import { secondsBetween } from './time.ts'
import { finishReasonName, operations, own, type Names } from './names.ts'
import { errorTypeOf } from './run-end.ts'
import type { RunRecord, TurnRecord } from './records.ts'
import { plainName, returningTo, safely, within } from './safely.ts'
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
  let iterator: AsyncIterator<Batch>
  try {
    iterator = within(turn.context, () => next()[Symbol.asyncIterator]())
  } catch (error) {
    fail(error)
    throw error
  }
  const ask = (): Promise<IteratorResult<Batch>> => iterator.next()
  let askAgain: ReturnType<typeof returningTo> | undefined
  return {
    next() {
      // The loop waits for this very promise, and is told after us.
      const asked = turn.chunks === 0 ? within(turn.context, ask) : (askAgain ??= returningTo(turn.context))(ask)
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
  const attributes = requestAttributes(run, info)
  const asked = content === undefined ? {} : (safely(() => requestContent(run.setup, info)) ?? {})
  const began = performance.now()
  const span = safely(() => {
    const started = run.tracer?.startSpan(
      `${operations.chat} ${run.setup.nameOf(info.model).model}`,
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
    labels: run.setup.nameOf(info.model).labels,
    attributes,
    asked,
    collector: content && createTurnCollector(),
    lastChunk: began,
    chunks: 0,
    responseId: undefined,
    responseModel: undefined,
  }
}

function requestAttributes(run: RunRecord, { step, attempt, model, mode, request }: TurnInfo): Attributes {
  const { names, nameOf } = run.setup
  const { settings, responseFormat, continuation } = request
  const { provider, model: requested } = nameOf(model)
  const attributes: Attributes = {
    [names.operation]: operations.chat,
    [names.provider]: provider,
    [names.requestModel]: requested,
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
  const now = performance.now()
  const metric = turn.chunks === 0 ? instruments?.timeToFirstChunk : instruments?.timePerChunk
  const labels = turn.labels
  if (turn.chunks === 0 && turn.span?.isRecording())
    turn.span.setAttribute(turn.run.setup.names.timeToFirstChunk, (now - turn.began) / 1000)
  turn.chunks++
  metric?.record((now - turn.lastChunk) / 1000, labels)
  turn.lastChunk = now
}

interface TurnOutcome {
  readonly errorType?: string | undefined
  readonly last?: TurnEnd | undefined
}

function end(turn: TurnRecord, { errorType, last }: TurnOutcome): void {
  const { run, span, labels } = turn
  const { names, content } = run.setup
  const ended = performance.now()
  const responseModel = last?.model ?? turn.responseModel
  const usage = addUsage(undefined, last?.usage)
  const answered = known({
    [names.errorType]: errorType,
    [names.responseId]: plain(last?.responseId ?? turn.responseId),
    [names.responseModel]: plain(responseModel),
    [names.finishReasons]: last && [finishReasonName(last.finishReason)],
    [names.inputTokens]: usage?.inputTokens,
    [names.outputTokens]: usage?.outputTokens,
    [names.cacheReadTokens]: usage?.cachedInputTokens,
    [names.cacheWriteTokens]: usage?.cacheWriteTokens,
    [names.reasoningTokens]: usage?.reasoningTokens,
  })
  const said = content === undefined ? {} : (safely(() => answerContent(turn)) ?? {})
  if (content?.on === 'events')
    safely(() => emitDetails(turn, { ...turn.attributes, ...answered, ...turn.asked, ...said }))
  if (span !== undefined)
    endSpan(span, content?.on === 'spans' ? { ...answered, ...said } : answered, {
      failed: errorType !== undefined,
      time: run.origin + ended,
    })
  const { instruments } = run
  if (instruments === undefined) return
  const measured = known({ ...labels, [names.responseModel]: plain(responseModel) })
  safely(() =>
    instruments.duration.record(
      secondsBetween(turn.began, ended),
      known({ ...measured, [names.errorType]: errorType }),
    ),
  )
  safely(() => countTokens(instruments, names, measured, usage))
}

function plain(text: string | undefined): string | undefined {
  return text === undefined ? undefined : plainName(text)
}

function countTokens(
  { usage: counters, perRequest, tokenUsage }: Instruments,
  names: Names,
  labels: Attributes,
  usage: ReturnType<typeof addUsage>,
): void {
  if (usage === undefined) return
  const { inputTokens: input, outputTokens: output, cachedInputTokens: cacheRead } = usage
  const kinds = { input, output, cacheRead, cacheWrite: usage.cacheWriteTokens, reasoning: usage.reasoningTokens }
  if (counters !== undefined) {
    // Providers do not say which of the tokens were text.
    const withModality = { ...labels, [names.tokenModality]: 'unknown' }
    for (const kind of ['input', 'output', 'cacheRead', 'cacheWrite', 'reasoning'] as const) {
      const count = kinds[kind]
      if (count !== undefined) counters[kind].add(count, withModality)
    }
  }
  for (const type of ['input', 'output'] as const) {
    const count = kinds[type]
    if (count === undefined) continue
    perRequest?.[type].record(count, labels)
    tokenUsage?.record(count, { ...labels, [names.tokenType]: type })
  }
}
