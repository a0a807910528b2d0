import {
  AdapterError,
  type Adapter,
  type Message,
  type RunInput,
  type RunOptions,
  type StepEdit,
  type StepLoopOptions,
  type ToolAnswer,
} from '@steploop/core'
import type { TurnRequest } from '@steploop/core/adapter'
import { systemClock } from '@steploop/core/adapter'
import { brokenOptions, brokenOutcome, withRequests, withTools } from './broken-loop.ts'
import { changeResults, withMessages } from './messages.ts'
import { withTurn, type Bug, type Mutant } from './mutant.ts'

/** Drops options of the loop: what they ask for is ignored. */
function ignored(bug: Bug & { readonly options: Partial<RunOptions> }): Mutant {
  const { options, ...facts } = bug
  return brokenOptions({ ...facts, options: (given) => ({ ...given, ...options }) })
}

/** Changes what the caller answers to pending calls. */
function changeAnswers(change: (answer: ToolAnswer) => ToolAnswer): (input: RunInput) => RunInput {
  return (input) => {
    if (typeof input === 'string' || !('toolOutputs' in input) || input.toolOutputs === undefined) return input
    const answers = Object.entries(input.toolOutputs).map(([id, answer]) => [id, change(answer)] as const)
    return { ...input, toolOutputs: Object.fromEntries(answers) }
  }
}

/** The model is asked again with an empty word in place of the loop's own message that has these words. */
function asksAgainFor(words: RegExp): (given: StepLoopOptions) => StepLoopOptions {
  const bare = (message: Message): Message =>
    message.role === 'user' && typeof message.content === 'string' && words.test(message.content)
      ? { role: 'user', content: 'Again.' }
      : message
  return (given) =>
    withRequests(given, (request) => withMessages(request, (messages) => messages.map((message) => bare(message))))
}

function settingsOf({ temperature }: StepEdit): TurnRequest['settings'] {
  return { temperature }
}

/** When the loop goes on, and when it ends. */
const decisions: readonly Mutant[] = [
  ignored({
    id: 'stop-means-done',
    bug: 'A turn that ended with `stop` ends the run, though it called.',
    killer: 'three-turn#step-counts',
    options: { stopWhen: (steps) => /^stop$/i.test(steps.at(-1)?.rawFinishReason ?? '') },
  }),
  brokenOptions({
    id: 'limit-one-too-many',
    bug: 'The limit of steps is looked at after the batch that it should have stopped.',
    killer: 'max-steps-throw#counters',
    options: (given) => ({ ...given, ...(typeof given.maxSteps === 'number' && { maxSteps: given.maxSteps + 1 }) }),
  }),
  ignored({
    id: 'excess-calls-run',
    bug: 'All calls of a turn run, however many a step may run.',
    killer: 'too-many-calls#counters',
    options: { maxToolCallsPerStep: undefined },
  }),
  ignored({
    id: 'repetition-not-noticed',
    bug: 'The same call is run again and again.',
    killer: 'repeated-call#golden',
    options: { maxRepeatedCalls: 0 },
  }),
  brokenOptions({
    id: 'nudge-without-code',
    bug: 'The answer to a repeated call does not say that it was not run.',
    killer: 'repeated-call#nudge-reaches-the-model',
    options: (given) =>
      withRequests(given, (request) =>
        changeResults(request, (result) => {
          const { output } = result
          const nudge = output.type === 'error' && output.value.code === 'repeated-call'
          return nudge ? { ...result, output: { type: 'text', value: 'Same as before.' } } : result
        }),
      ),
  }),
  brokenOptions({
    id: 'sleep-on-success-retry-after',
    bug: 'The pause that a failure asked for is kept once more, after the attempt that succeeded.',
    killer: 'rate-limited#waits',
    options(given) {
      let pause: number | undefined
      const { model, clock = systemClock } = given
      const turn: Adapter['turn'] = async function* (request, context) {
        try {
          for await (const batch of model.turn(request, context)) {
            const ms = pause
            pause = undefined
            if (ms !== undefined) await new Promise<void>((resolve) => void clock.after(ms, resolve))
            yield batch
          }
        } catch (error) {
          if (AdapterError.isInstance(error)) pause = error.retryAfterMs
          throw error
        }
      }
      return { ...given, model: withTurn(model, turn) }
    },
  }),
  brokenOptions({
    id: 'synthetic-forced-with-thinking',
    bug: 'A model that thinks is forced to call the tool for structured answers, which such models refuse.',
    killer: 'structured-thinking#nothing-forced',
    options: (given) =>
      withRequests(given, (request) => {
        const hidden = request.tools?.find(({ name }) => name.startsWith('output_'))
        if (hidden === undefined || request.settings?.reasoning === undefined) return request
        return { ...request, toolChoice: { type: 'tool', toolName: hidden.name } }
      }),
  }),
  brokenOptions({
    id: 'object-beside-tools',
    bug: 'The object is asked for from the first turn on, where the provider cannot combine that with tools.',
    killer: 'structured-apart#asked-for-apart',
    options(given) {
      const { model } = given
      const combined = { ...model.capabilities, structuredWithTools: true }
      return { ...given, model: { ...withTurn(model, (...asked) => model.turn(...asked)), capabilities: combined } }
    },
  }),
  brokenOptions({
    id: 'asks-again-without-words',
    bug: 'After a call that the provider could not read, the model is asked again without being told.',
    killer: 'groq-tool-use-failed#asked-to-call-again',
    options: asksAgainFor(/could not be parsed/),
  }),
  brokenOptions({
    id: 'repair-without-reason',
    bug: 'The model is asked for another object without a word of what is wrong with the first.',
    killer: 'structured-repair#says-what-is-wrong',
    options: asksAgainFor(/^The object is not valid/),
  }),
  brokenOptions({
    id: 'budget-of-output-only',
    bug: 'A budget of tokens is spent by output tokens alone.',
    killer: 'token-budget#golden',
    options: (given) => ({ ...given, ...(given.maxTokens !== undefined && { maxTokens: given.maxTokens * 6 }) }),
  }),
  brokenOptions({
    id: 'finalizing-with-tools',
    bug: 'At the limit the model is asked once more, and may still call.',
    killer: 'max-steps-finalize#finalizes-without-tools',
    options: (given) =>
      withRequests(given, (request) => (request.toolChoice === 'none' ? { ...request, toolChoice: 'auto' } : request)),
  }),
  brokenOptions({
    id: 'inactive-tools-sent',
    bug: 'An empty list of active tools means all of them.',
    killer: 'no-tools#no-keys',
    options: (given) => ({ ...given, ...(given.activeTools?.length === 0 && { activeTools: undefined }) }),
  }),
  brokenOutcome({
    id: 'abort-ignored',
    bug: 'The signal of the caller is not looked at.',
    killer: 'abort-mid-stream#settles',
    run: (options) => ({ ...options, abortSignal: undefined }),
  }),
  ignored({
    id: 'fallbacks-ignored',
    bug: 'No other model takes over.',
    killer: 'fallback#golden',
    options: { fallbacks: undefined },
  }),
]

/** Who runs a call, and what is asked before. */
const ownership: readonly Mutant[] = [
  brokenOptions({
    id: 'approval-skipped',
    bug: 'Calls that need approval run at once.',
    killer: 'approval-granted#counters',
    options: (given) => withTools(given, (execute) => execute, { needsApproval: undefined }),
  }),
  brokenOutcome({
    id: 'edit-ignored',
    bug: 'An approved call runs with the input of the model, not of the caller.',
    killer: 'approval-edited#runs-as-edited',
    input: changeAnswers((answer) => ('approved' in answer && answer.approved ? { approved: true } : answer)),
  }),
  brokenOutcome({
    id: 'approval-of-all-ends-clients',
    bug: 'Whoever approves all has answered the calls of the client too.',
    killer: 'approve-all#golden',
    input: (input) => {
      if (typeof input === 'string' || !('toolOutputs' in input) || input.toolOutputs?.['*'] === undefined) return input
      const open = input.transcript?.pendingCalls.filter(({ reason }) => reason === 'client-tool') ?? []
      const answers = open.map(({ toolCallId }) => [toolCallId, { output: 'approved' }] as const)
      return { ...input, toolOutputs: { ...input.toolOutputs, ...Object.fromEntries(answers) } }
    },
  }),
  brokenOptions({
    id: 'edit-of-a-step-loses-settings',
    bug: 'A step that one setting is edited of has no other one.',
    killer: 'instructions-and-settings#as-recorded',
    options: (given) => {
      const { prepareStep } = given
      let edit: StepEdit | undefined
      return {
        ...withRequests(given, (request) =>
          edit === undefined ? request : { ...request, settings: settingsOf(edit) },
        ),
        prepareStep: async (context) => (edit = await prepareStep?.(context)),
      }
    },
  }),
  brokenOutcome({
    id: 'reason-of-denial-lost',
    bug: 'The model is not told why a call was denied.',
    killer: 'approval-denied#denial-reaches-the-model',
    input: changeAnswers((answer) => ('approved' in answer && !answer.approved ? { approved: false } : answer)),
  }),
  brokenOptions({
    id: 'approval-is-the-result',
    bug: 'An approved call is answered with the approval; its tool’s output is lost.',
    killer: 'approval-granted#result-arrives',
    options: (given) =>
      withTools(given, (execute, name) =>
        name === 'restart_job'
          ? async (...asked) => {
              await execute(...asked)
              return 'approved'
            }
          : execute,
      ),
  }),
  brokenOutcome({
    id: 'outputs-encoded-twice',
    bug: 'Texts that the caller answers with are encoded as JSON.',
    killer: 'client-tool#output-arrives',
    input: changeAnswers((answer) =>
      'output' in answer && typeof answer.output === 'string' ? { output: JSON.stringify(answer.output) } : answer,
    ),
  }),
  brokenOutcome({
    id: 'pending-calls-lost',
    bug: 'A run that waits for the caller does not say for what.',
    killer: 'client-tool#suspends-with-the-call',
    result: (result) => ({ ...result, transcript: { ...result.transcript, pendingCalls: [] } }),
  }),
  brokenOptions({
    id: 'outputs-of-the-caller-last',
    bug: 'What the caller answered stands behind the results of the loop, whatever the order of the calls.',
    killer: 'mixed-owners#call-order-after-resuming',
    options: (given) =>
      withRequests(given, (request) =>
        withMessages(request, (messages) =>
          messages.map((message) => {
            if (message.role !== 'tool') return message
            const isText = (output: { readonly type: string; readonly value: unknown }): boolean =>
              output.type === 'text' && String(output.value).includes('Zoll')
            const last = message.content.filter(({ output }) => isText(output))
            const first = message.content.filter(({ output }) => !isText(output))
            return { role: 'tool', content: [...first, ...last] }
          }),
        ),
      ),
  }),
  ignored({
    id: 'unknown-tools-pend',
    bug: 'A call of a tool that nobody has waits for an answer of the caller.',
    killer: 'unknown-tool#names-available-tools',
    options: { unknownTools: 'client' },
  }),
]

export const loopMutants: readonly Mutant[] = [...decisions, ...ownership]
