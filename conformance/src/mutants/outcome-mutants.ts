import { LoopError, type Step } from '@steploop/core'
import { isObject } from '@steploop/core/adapter'
import { brokenOutcome } from './broken-loop.ts'
import type { Breaks } from './mutant.ts'

/** What a run reports: its events, its result, its error. */
export const outcomeMutants: Breaks = {
  'two-terminal-events': brokenOutcome({
    bug: 'Each step of a streamed run tells of its end as of the end of the run.',
    killer: 'three-turn#one-terminal-event',
    event: (event) => (event.type === 'run-end' && event.result.steps.length > 1 ? [event, event] : [event]),
  }),
  'error-twice': brokenOutcome({
    bug: 'A failure is reported twice.',
    killer: 'bad-key#one-terminal-event',
    event: (event) => (event.type === 'run-error' ? [event, event] : [event]),
  }),
  'states-out-of-order': brokenOutcome({
    bug: 'A tool is told to be running before it is queued.',
    killer: 'single-call#event-order',
    event: (event) => {
      if (event.type !== 'tool-state') return [event]
      if (event.state === 'queued') return [{ ...event, state: 'running' }]
      return [event.state === 'running' ? { ...event, state: 'queued' } : event]
    },
  }),
  'retry-unreported': brokenOutcome({
    bug: 'Nobody is told that the first words of a failed attempt are void.',
    killer: 'error-mid-stream#discard-announced',
    event: (event) => (event.type === 'step-retry' ? [] : [event]),
  }),
  'text-of-all-turns': brokenOutcome({
    bug: 'The text of a run is that of all its turns.',
    killer: 'text-then-call#text-is-fold',
    result: (result) => ({ ...result, text: result.steps.map(({ text }) => text).join('') }),
  }),
  'text-lost-at-length': brokenOutcome({
    bug: 'An answer that the token limit cut is thrown away.',
    killer: 'length-limit#text-kept',
    result: (result) => (result.stopReason === 'length' ? { ...result, text: '' } : result),
  }),
  'results-reversed': brokenOutcome({
    bug: 'The results of a step are reported in the order in which tools finished.',
    killer: 'parallel-calls#results-in-order',
    result: (result) => changeSteps(result, (step) => ({ ...step, toolResults: step.toolResults.toReversed() })),
  }),
  'excess-without-reason': brokenOutcome({
    bug: 'The answer to a call that is one too many does not say how many a step runs.',
    killer: 'too-many-calls#excess-reported',
    result: (result) =>
      changeSteps(result, (step) => ({
        ...step,
        toolResults: step.toolResults.map((one) => {
          const { output } = one
          const excess = output.type === 'error' && output.value.code === 'too-many-calls'
          return excess ? { ...one, output: { type: 'error', value: { ...output.value, message: 'Not run.' } } } : one
        }),
      })),
  }),
  'calls-without-origin': brokenOutcome({
    bug: 'Messages that call do not say who made them.',
    killer: 'single-call#names-its-origin',
    result: (result) =>
      changeSteps(result, (step) =>
        step.toolCalls.length === 0 ? step : { ...step, message: { ...step.message, provider: undefined } },
      ),
  }),
  'provider-ids-reported': brokenOutcome({
    bug: 'Calls are reported under the provider’s own ids, which it may use again.',
    killer: 'repeated-ids#ids-unique',
    result: (result) => ({
      ...result,
      toolCalls: result.toolCalls.map((call) => ({ ...call, toolCallId: call.toolCallId.replace(/_\d+$/, '') })),
    }),
  }),
  'usage-only-last-turn': brokenOutcome({
    bug: 'The usage of a run is that of its last turn.',
    killer: 'single-call#usage-adds-up',
    result: (result) => ({ ...result, usage: result.steps.at(-1)?.usage }),
  }),
  'structured-tool-visible': brokenOutcome({
    bug: 'The tool that the loop hides, for structured answers, is reported among the calls.',
    killer: 'structured#no-synthetic-tool',
    result: (result) => ({
      ...result,
      toolCalls: result.steps.flatMap(({ message }) => message.content.filter((part) => part.type === 'tool-call')),
    }),
  }),
  'warnings-lost': brokenOutcome({
    bug: 'Nobody is told that another model took over.',
    killer: 'fallback#said-once',
    result: (result) => ({ ...result, warnings: result.warnings.filter(({ path }) => path !== 'model') }),
  }),
  'output-as-text': brokenOutcome({
    bug: 'The object of a run is given as the text that it was written in.',
    killer: 'structured#output',
    result: (result) => (isObject(result.output) ? { ...result, output: JSON.stringify(result.output) } : result),
  }),
  'limit-leaves-calls-open': brokenOutcome({
    bug: 'A run that its limit ended forgets to answer the last calls.',
    killer: 'max-steps-incomplete#every-call-answered',
    result: (result) =>
      result.status === 'incomplete'
        ? { ...result, transcript: { ...result.transcript, messages: withoutLastResults(result.transcript.messages) } }
        : result,
  }),
  'error-without-transcript': brokenOutcome({
    bug: 'A run that fails does not say how far it came.',
    killer: 'cut-stream#earlier-steps-kept',
    error: (error) =>
      LoopError.isInstance(error) ? new LoopError(error.code, error.message, { cause: error.cause }) : error,
  }),
  'error-without-mend': brokenOutcome({
    bug: 'The error of a limit does not name the option that sets it.',
    killer: 'max-steps-throw#says-how-to-mend-it',
    error: (error) =>
      LoopError.isInstance(error) && error.code === 'max-steps'
        ? new LoopError(error.code, 'Too many steps.', { transcript: error.transcript })
        : error,
  }),
  'cause-thrown-bare': brokenOutcome({
    bug: 'A run rejects with what made it fail, not with an error of its own.',
    killer: 'bad-key#settles',
    error: (error) => (error instanceof Error && error.cause instanceof Error ? error.cause : error),
  }),
}

function changeSteps<Result extends { readonly steps: readonly Step[] }>(
  result: Result,
  change: (step: Step) => Step,
): Result {
  return { ...result, steps: result.steps.map((step) => change(step)) }
}

function withoutLastResults<Item extends { readonly role: string }>(messages: readonly Item[]): readonly Item[] {
  const at = messages.findLastIndex(({ role }) => role === 'tool')
  return messages.filter((_, index) => index !== at)
}
