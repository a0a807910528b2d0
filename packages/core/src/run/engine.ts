import { AbortReason, createAbortScope, type AbortScope } from './state/abort-scope.ts'
import type { Mode, Warning } from '../contract/adapter.ts'
import { addIds, keepTurn } from './state/call-ids.ts'
import { hasCapability } from '../wire/capability.ts'
import { checkEdit } from '../options/check-options.ts'
import { printed } from '../options/invalid-option.ts'
import type { Turn } from '../wire/collect-turn.ts'
import { LoopError } from '../contract/errors.ts'
import { closeOpenCalls, executeCalls } from './execute-calls.ts'
import { openCalls } from './judge-calls.ts'
import { settleOpenStep } from './settle-step.ts'
import { discardEager, discardedStates } from './turn/eager-tools.ts'
import { askHook, guardHook } from './state/hooks.ts'
import type { RunInput, StepEdit } from '../options/loop-options.ts'
import type { RunConfig } from '../options/run-config.ts'
import { namesConversation } from '../options/provider-state.ts'
import { askOnce, prepareAgain, startAsking } from './turn/recover-turn.ts'
import { readInput, type OpenStep, type RunStart } from './run-input.ts'
import { readMessages } from '../transcript/check-messages.ts'
import { callerCalls } from '../transcript/history.ts'
import type { ToolCallPart } from '../contract/messages.ts'
import { countTurn, createCounts, forgetWaiting, isSpent, limitOf, noProgress, refusalOf } from './state/limits.ts'
import type { Ending, RunResult } from '../contract/run-result.ts'
import type { Step } from '../contract/step.ts'
import {
  append,
  callIdsOf,
  emit,
  stepNumber,
  tellLast,
  warn,
  type Continuable,
  type RunObserver,
  type RunState,
} from './state/run-state.ts'
import { nothingJudged } from '../calls/plan-calls.ts'
import { noItems } from '../wire/json.ts'
import { createStructured } from '../output/structured.ts'
import { addUsage } from '../contract/usage.ts'
import { freezeParts } from '../tools/own-data.ts'
import { makeRoom } from '../wire/notes.ts'
import { withoutUndefined } from '../wire/without-undefined.ts'
import { endingOf, hookEnding, limitEnding, suspended } from './run-ending.ts'
import { makeStep, makeResult } from './make-result.ts'
import { failedRun } from './failed-run.ts'
import { runThrough } from './run-through.ts'

/** A run under way. */
export interface Run {
  /** Rejects with `LoopError` only. */
  readonly result: Promise<RunResult>
  /** The result is awaited, whether the run is read on or not. */
  pin(): void
  /** The consumer left: everything stops at once. */
  abandon(): void
}

/** The one engine behind `generate`, `stream` and `steps`. */
export function startRun(config: RunConfig, input: RunInput, mode: Mode, observer: RunObserver): Run {
  const { abortSignal: signal, timeout, clock } = config
  const scope = createAbortScope({ signal, timeout, clock, onAbort: observer.release })
  return {
    result: drive({ config, input, mode, observer, scope }),
    pin: () => scope.pin(),
    abandon: () => scope.abort(new AbortReason('aborted', new Error('The consumer left the run.'))),
  }
}

type RunJob = Pick<RunState, 'config' | 'mode' | 'observer' | 'scope'> & { readonly input: RunInput }

async function drive(job: RunJob): Promise<RunResult> {
  try {
    const start = readInput(job.input, job.config)
    const run = createState(job, start)
    const { run: around } = job.config.middleware
    if (around === undefined) return await play(run, start)
    return await runThrough(run, around, { start, play: () => play(run, start) })
  } finally {
    job.scope.close()
  }
}

async function play(run: RunState, start: RunStart): Promise<RunResult> {
  try {
    // A tick in any case: nothing of the application's is called before its own call of the loop has returned.
    await emit(run, [{ type: 'run-start', ...(start.open && { pendingCalls: start.open.pending }) }])
    const warned = warn(run, run.config.warnings.concat(start.warnings))
    if (warned !== undefined) await warned
    const ended = start.open && (await resumeOpenStep(run, start.open, start.next.length > 0))
    if (ended !== undefined) return makeResult(run, ended)
    for (const message of start.next) append(run, message)
    return makeResult(run, await stepUntilDone(run))
  } catch (cause) {
    const discarded = discardedStates(run)
    run.pending = await openCalls(run)
    discardEager(run)
    closeOpenCalls(run)
    tellLast(run, discarded)
    return failedRun(run, cause)
  }
}

function createState({ config, mode, observer, scope }: RunJob, start: RunStart): RunState {
  const before = start.progress ?? noProgress
  return {
    config,
    runMode: mode,
    mode,
    observer,
    scope,
    callIds: undefined,
    transcriptId: start.transcriptId ?? newId(config),
    model: config.model,
    messages: makeRoom(start.messages),
    added: [],
    continuable: start.continuable,
    recovery: undefined,
    turns: start.turns,
    firstStep: before.steps,
    steps: [],
    warnings: undefined,
    usage: undefined,
    counts: createCounts(before),
    unfinished: undefined,
    openTurn: undefined,
    pending: start.open?.pending ?? noItems,
    earlier: start.open?.results ?? [],
    eager: undefined,
    running: undefined,
    offered: undefined,
    ended: undefined,
    structured: config.output === undefined ? undefined : createStructured(config.output),
  }
}

function newId({ generateId }: RunConfig): string {
  const id: unknown = generateId()
  if (typeof id === 'string' && id !== '') return id
  throw new LoopError('hook-failed', `\`generateId\` gave ${printed(id)}. Give a text that is not empty.`)
}

async function resumeOpenStep(run: RunState, open: OpenStep, abandoned: boolean): Promise<Ending | undefined> {
  await settleOpenStep(run, open, abandoned)
  if (run.ended !== undefined) return hookEnding(run)
  return run.pending.length > 0 ? suspended(run) : undefined
}

// What may or may not be a promise is waited for only if it is one: each `await` is a tick, and garbage, in every step.
async function stepUntilDone(run: RunState): Promise<Ending> {
  const { prepareStep, onLimit, onStepStart, onResponse } = run.config
  const hasEdits = prepareStep !== undefined
  let edit: StepEdit | undefined
  for (;;) {
    const prepared = hasEdits || edit !== undefined ? await prepare(run, edit) : noEdit
    const limit = limitOf(run)
    if (limit !== undefined && isSpent(run)) return limitEnding(run, limit)
    const limited = limit !== undefined && onLimit === 'finalize'
    const finalizing = limited || prepared.toolChoice === 'none'
    if (onStepStart && (await askHook(run, 'onStepStart', { finalizing })) === 'ended') return hookEnding(run)
    const begun = emit(run, [{ type: 'step-start', step: stepNumber(run) }])
    if (begun !== undefined) await begun
    const asking = startAsking(prepared, limited)
    let turn: Turn | undefined
    while (turn === undefined || asking.built === undefined) {
      try {
        turn = await askOnce(run, asking)
      } catch (error) {
        await prepareAgain(run, asking, error)
      }
    }
    const { request, activeTools, toolChoice } = asking.built
    const refused = limit !== undefined || toolChoice === 'none' || turn.finishReason === 'content-filter'
    const judging = nothingJudged()
    run.openTurn = { message: turn.message, activeTools, refused, judging }
    const calls = callerCalls(turn.message)
    const warnings = acceptTurn(run, turn, calls)
    if (warnings.length > 0) await warn(run, warnings)
    if (onResponse) await askHook(run, 'onResponse', { request, response: turn.message })
    const executing = executeCalls(run, turn.message, {
      request,
      activeTools,
      judging,
      calls,
      finishReason: turn.finishReason,
      refusal: refusalOf(run, turn.finishReason, { limit, choice: toolChoice }),
      takesAnswer: run.ended === undefined && turn.finishReason !== 'content-filter',
    })
    const results = executing instanceof Promise ? await executing : executing
    if (run.pending.length > 0 && results.length === 0) forgetWaiting(run)
    const step = makeStep(run, turn, { calls, results })
    run.steps.push(step)
    const delivered = emit(run, [{ type: 'step-end', step }])
    if (delivered !== undefined) await delivered
    if (run.observer.step !== undefined) edit = await editAfter(step, run.observer.step, run.scope)
    const tools = request.tools !== undefined
    const asked = askHook(run, 'onStepEnd', { request, response: turn.message })
    const verdict = asked instanceof Promise ? await asked : asked
    if (verdict === 'ended') return hookEnding(run)
    if (verdict === 'extended' && limit === undefined) continue
    const judged = endingOf(run, turn, { calls, tools, limit })
    const ending = judged instanceof Promise ? await judged : judged
    if (ending !== undefined) return ending
  }
}

/** What the consumer of `steps()` edits; the run rests until then. */
async function editAfter(
  step: Step,
  ask: (step: Step) => Promise<StepEdit | undefined>,
  scope: AbortScope,
): Promise<StepEdit | undefined> {
  scope.rest()
  const edit = await scope.race(ask(step))
  scope.wake()
  return edit
}

function acceptTurn(run: RunState, turn: Turn, calls: readonly ToolCallPart[]): readonly Warning[] {
  const { message, usage } = turn
  freezeParts(message.content)
  append(run, message)
  if (run.callIds !== undefined) keepTurn(run.callIds)
  run.continuable = continuableOf(run, turn)
  run.turns++
  run.usage = addUsage(run.usage, usage)
  const unseen = countTurn(run, run.model, calls, usage)
  return unseen.length === 0 ? turn.warnings : [...turn.warnings, ...unseen]
}

function continuableOf(
  { model, mode, messages }: Pick<RunState, 'model' | 'mode' | 'messages'>,
  { responseId }: Turn,
): Continuable | undefined {
  if (responseId === undefined || !hasCapability(model.capabilities.continuation, mode)) return undefined
  return { responseId, provider: model.provider, model: model.model, from: messages.length }
}

/** Applies the edits for the next request; the hook's win over those of the `steps()` consumer. */
async function prepare(run: RunState, given: StepEdit | undefined): Promise<StepEdit> {
  const { prepareStep } = run.config
  const context = {
    step: stepNumber(run),
    steps: run.steps.slice(),
    messages: run.messages.slice(),
    instructions: run.config.instructions,
    model: run.model,
  }
  const hooked = prepareStep === undefined ? undefined : await guardHook(run, 'prepareStep', () => prepareStep(context))
  const edit: StepEdit = { ...given, ...withoutUndefined(hooked) }
  checkEdit(edit, run.config.tools)
  if (edit.model !== undefined) run.model = edit.model
  if (edit.messages !== undefined) {
    const behind = namesConversation(run.config.providerOptions, run.model.provider)
    const { messages, warnings } = readMessages('prepareStep', edit.messages, behind)
    addIds(callIdsOf(run), messages)
    run.messages = makeRoom(messages)
    run.continuable = undefined
    await warn(run, warnings)
  }
  return edit
}

const noEdit: StepEdit = Object.freeze({})
