import type { ToolCallPart, ToolResultPart } from '../contract/messages.ts'
import { knownUsage } from '../contract/usage.ts'
import type { Step } from '../contract/step.ts'
import type { Transcript } from '../contract/transcript.ts'
import type { Turn } from '../wire/collect-turn.ts'
import type { Writable } from '../wire/json.ts'
import { limitDetail } from './state/limits.ts'
import type { Ending, RunResult } from '../contract/run-result.ts'
import { stepNumber, transcriptOf, type RunState, type Numbered } from './state/run-state.ts'
import { structuredToolName } from '../output/structured.ts'

export function makeStep(
  run: Numbered & Pick<RunState, 'structured' | 'model'>,
  turn: Turn,
  { calls, results }: { readonly calls: readonly ToolCallPart[]; readonly results: readonly ToolResultPart[] },
): Step {
  const { message, model: responseModel, finishReason, rawFinishReason, usage, responseId, warnings, logprobs } = turn
  const { content } = message
  let made = 0
  let text = ''
  // By hand and by numbers: the methods of frozen lists take ten times as long, and `of` makes an object for each of their items.
  for (let index = 0; index < content.length; index++) {
    const part = content[index]
    if (part?.type === 'tool-call') made++
    else if (part?.type === 'text') text += part.text
  }
  const all = made === calls.length ? calls : content.filter((part) => part.type === 'tool-call')
  const toolCalls = run.structured === undefined ? all : all.filter(isVisible)
  const hidden = toolCalls.length < made
  const step: Writable<Step> = {
    number: stepNumber(run),
    provider: run.model.provider,
    model: run.model.model,
    responseModel,
    message,
    text,
    toolCalls,
    toolResults: run.structured === undefined ? results : results.filter(isVisible),
    finishReason: hidden && toolCalls.length === 0 ? 'stop' : finishReason,
    rawFinishReason,
    usage: knownUsage(usage),
    responseId,
    warnings,
  }
  if (logprobs !== undefined) step.logprobs = logprobs
  return freezeStep(step)
}

/** Hooks are shown it, and write nothing to it; its messages are the history's, which is frozen. */
function freezeStep(step: Step): Step {
  for (const part of [step.toolCalls, step.toolResults, step.warnings, step.usage]) Object.freeze(part)
  return Object.freeze(step)
}

/** Core's own tool is not shown. */
function isVisible(part: { readonly toolName: string }): boolean {
  return part.toolName !== structuredToolName
}

export function makeResult(run: RunState, ending: Ending): RunResult {
  const last = run.steps.at(-1)
  const toolCalls: ToolCallPart[] = []
  for (const step of run.steps) addAll(toolCalls, step.toolCalls)
  const toolResults: ToolResultPart[] = []
  for (const message of run.added) if (message.role === 'tool') addAll(toolResults, message.content)
  return {
    text: run.ended?.type === 'override' ? run.ended.response : (last?.text ?? ''),
    steps: Object.freeze(run.steps),
    messages: Object.freeze(run.added),
    toolCalls,
    toolResults: run.structured === undefined ? toolResults : toolResults.filter(isVisible),
    usage: run.usage,
    warnings: run.warnings === undefined ? [] : [...run.warnings.values()],
    ...ending,
    stopDetail: run.ended?.type === 'stop' ? run.ended.reason : limitDetail(run, ending.stopReason),
    finishReason: last?.finishReason ?? 'tool-calls',
    responseId: last?.responseId,
    providerState: run.config.providerState,
    output: run.structured?.found?.value,
    // What ran out of time, or waits for the caller, goes on where it was.
    transcript: frozen(transcriptOf(run, ending.status !== 'requires-action' && ending.stopReason !== 'timeout')),
  }
}

function addAll<Item extends object>(to: Item[], items: readonly Item[]): void {
  for (let index = 0, item = items[0]; item !== undefined; item = items[++index]) to.push(item)
}

/** A record: a change is made in a copy. */
function frozen(transcript: Transcript): Transcript {
  Object.freeze(transcript.messages)
  return Object.freeze(transcript)
}
