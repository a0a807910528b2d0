import { SpanKind, type Attributes } from '@opentelemetry/api'
import type { Settings, TurnInfo } from '@steploop/core'
import { addUsage, createTurnCollector, type TurnEvent, type Usage } from '@steploop/core/adapter'
import { withoutUndefined, measure, tokenKinds, type Instruments } from './instruments.ts'
import { secondsBetween } from './time.ts'
import { finishReasonName, own, type Names } from './names.ts'
import { errorTypeOf } from './run-end.ts'
import type { RunRecord, TurnRecord } from './records.ts'
import { entering, plainText, safely, type Entered } from './safely.ts'
import { endSpan, startSpan } from './spans.ts'
import type { AnswerLabels, ModelName } from './cached-names.ts'
import { answerContent, emitDetails, requestContent, takesDetails } from './turn-content.ts'

type Batch = readonly TurnEvent[]

type TurnEnd = Extract<TurnEvent, { type: 'turn-end' }>

/** By hand, not as a generator: each batch costs one promise, and leaving it in the middle ends the span at once. */
export function recordTurn(run: RunRecord, info: TurnInfo, next: () => AsyncIterable<Batch>): AsyncIterable<Batch> {
  return { [Symbol.asyncIterator]: () => iterate(run, info, next) }
}

function iterate(run: RunRecord, info: TurnInfo, next: () => AsyncIterable<Batch>): AsyncIterator<Batch> {
  run.requests++
  const turn = opened(begin(run, info))
  const fail = (error: unknown): void => end(turn, { errorType: errorTypeOf(error) })
  const take = (result: IteratorResult<Batch>): void => {
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
  const { result: iterator, reenter } = entered
  const ask = (): Promise<IteratorResult<Batch>> => iterator.next()
  return {
    next() {
      try {
        // The loop waits for this very promise, and is told after us.
        const promise = Promise.resolve(reenter(ask))
        promise.then(take, fail)
        return promise
      } catch (error) {
        fail(error)
        throw error
      }
    },
    return: async () => {
      end(turn, { errorType: info.signal.aborted ? 'aborted' : '_OTHER' })
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
  const { content, nameOf } = run.setup
  const model = nameOf(info.model)
  const attributes = safely(() => requestAttributes(run, info, model)) ?? { ...model.attributes }
  const began = performance.now()
  const started = startSpan(run, model.spanName, { kind: SpanKind.CLIENT, attributes, startTime: run.origin + began })
  const isShown = content?.on === 'spans' ? started.recording : takesDetails(run, started.context)
  const exportedRequest = isShown ? safely(() => requestContent(run.setup, info.request)) : undefined
  if (exportedRequest !== undefined && content?.on === 'spans')
    safely(() => started.span?.setAttributes(exportedRequest))
  return {
    ...started,
    run,
    streamed: info.mode === 'stream',
    began,
    model,
    attributes,
    exportedRequest,
    collector: isShown ? createTurnCollector() : undefined,
    lastChunk: began,
    chunks: 0,
    responseId: undefined,
    responseModel: undefined,
  }
}

function requestAttributes(run: RunRecord, { step, attempt, mode, request }: TurnInfo, model: ModelName): Attributes {
  const { names } = run.setup
  const { settings, responseFormat, continuation } = request
  const attributes: Attributes = {
    ...model.attributes,
    [names.conversation]: run.conversation,
    [own.step]: step,
    [own.attempt]: attempt,
  }
  if (mode === 'stream') attributes[names.stream] = true
  if (responseFormat !== undefined) attributes[names.outputType] = 'json'
  if (settings !== undefined) Object.assign(attributes, settingAttributes(names, settings))
  if (continuation !== undefined && names.previousResponse !== undefined)
    attributes[names.previousResponse] = plainText(continuation.responseId)
  return attributes
}

function settingAttributes(names: Names, settings: Settings): Attributes {
  return withoutUndefined({
    [names.maxTokens]: settings.maxOutputTokens,
    [names.temperature]: settings.temperature,
    [names.topP]: settings.topP,
    [names.topK]: settings.topK,
    [names.frequencyPenalty]: settings.frequencyPenalty,
    [names.presencePenalty]: settings.presencePenalty,
    [names.seed]: settings.seed,
    [names.stopSequences]: settings.stopSequences?.map((text) => plainText(text) ?? ''),
    ...(names.reasoningLevel !== undefined && { [names.reasoningLevel]: plainText(settings.reasoning) }),
  })
}

/** What the batch says of the request, which is over with its last event. */
function look(turn: TurnRecord, { done, value: batch }: IteratorResult<Batch, unknown>): void {
  if (!turn.run.open.has(turn)) return
  if (done) {
    end(turn, { errorType: 'adapter-contract' })
    return
  }
  if (!Array.isArray(batch)) return
  if (turn.streamed) countChunk(turn)
  const events = batch as Batch
  if (turn.collector !== undefined) safely(() => turn.collector?.push(events))
  const [first] = events
  if (first?.type === 'turn-start') {
    turn.responseId = first.responseId
    turn.responseModel = first.model
  }
  const last = events.at(-1)
  if (last?.type === 'turn-end') end(turn, { last })
}

function countChunk(turn: TurnRecord): void {
  const { instruments, setup } = turn.run
  const isFirst = turn.chunks++ === 0
  if (!isFirst && instruments === undefined) return
  const now = performance.now()
  const metric = isFirst ? instruments?.timeToFirstChunk : instruments?.timePerChunk
  const seconds = secondsBetween(turn.lastChunk, now)
  turn.lastChunk = now
  if (isFirst && turn.recording) safely(() => turn.span?.setAttribute(setup.names.timeToFirstChunk, seconds))
  measure(metric, seconds, turn.model.labels)
}

interface TurnOutcome {
  readonly errorType?: string | undefined
  readonly last?: TurnEnd | undefined
}

/** Once, and whatever is in the way: what cannot be said of it is left out. */
function end(turn: TurnRecord, { errorType, last }: TurnOutcome): void {
  const { run } = turn
  if (!run.open.delete(turn)) return
  const { content, names } = run.setup
  const ended = performance.now()
  const failure = errorType === undefined ? undefined : { [names.errorType]: errorType }
  const usage = safely(() => addUsage(undefined, last?.usage))
  const responseModel = plainText(last?.model ?? turn.responseModel)
  const isShown = turn.recording || turn.collector !== undefined
  const answer = { failure, last, responseModel, usage }
  const answered = (isShown ? safely(() => answerAttributes(turn, answer)) : undefined) ?? failure
  const exportedAnswer = turn.collector && safely(() => answerContent(turn))
  if (content?.on === 'events' && turn.collector !== undefined)
    emitDetails(turn, { ...turn.attributes, ...answered, ...turn.exportedRequest, ...exportedAnswer })
  endSpan(turn, content?.on === 'spans' ? { ...answered, ...exportedAnswer } : answered, {
    failed: failure !== undefined,
    time: run.origin + ended,
  })
  const { instruments } = run
  if (instruments === undefined) return
  const labels = turn.model.labelsOf(responseModel)
  const ofRequest = failure === undefined ? labels.plain : { ...labels.plain, ...failure }
  measure(instruments.duration, secondsBetween(turn.began, ended), ofRequest)
  if (usage !== undefined) countTokens(instruments, labels, usage)
}

interface Answer {
  readonly failure: Attributes | undefined
  readonly last: TurnEnd | undefined
  readonly responseModel: string | undefined
  readonly usage: Usage | undefined
}

function answerAttributes(turn: TurnRecord, { failure, last, responseModel, usage }: Answer): Attributes {
  const { names } = turn.run.setup
  const attributes: Attributes = { ...failure }
  const responseId = plainText(last?.responseId ?? turn.responseId)
  if (responseId !== undefined) attributes[names.responseId] = responseId
  if (responseModel !== undefined) attributes[names.responseModel] = responseModel
  if (last !== undefined) attributes[names.finishReasons] = [finishReasonName(last.finishReason)]
  if (usage?.inputTokens !== undefined) attributes[names.inputTokens] = usage.inputTokens
  if (usage?.outputTokens !== undefined) attributes[names.outputTokens] = usage.outputTokens
  if (usage?.cachedInputTokens !== undefined) attributes[names.cacheReadTokens] = usage.cachedInputTokens
  if (usage?.cacheWriteTokens !== undefined) attributes[names.cacheWriteTokens] = usage.cacheWriteTokens
  if (usage?.reasoningTokens !== undefined) attributes[names.reasoningTokens] = usage.reasoningTokens
  return attributes
}

function countTokens(
  { usage: counters, perRequest, tokenUsage }: Instruments,
  labels: AnswerLabels,
  usage: Usage,
): void {
  const { inputTokens: input, outputTokens: output, cachedInputTokens: cacheRead } = usage
  const tokens = { input, output, cacheRead, cacheWrite: usage.cacheWriteTokens, reasoning: usage.reasoningTokens }
  for (const kind of tokenKinds) {
    const count = tokens[kind]
    if (count !== undefined) safely(() => counters[kind]?.add(count, labels.withModality))
  }
  for (const type of ['input', 'output'] as const) {
    const count = tokens[type]
    if (count === undefined) continue
    measure(perRequest[type], count, labels.plain)
    measure(tokenUsage, count, labels.ofTokens[type])
  }
}
