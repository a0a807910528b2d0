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
import { withTurn, type Break, type Breaks, type Bug } from './mutant.ts'

/** Drops options of the loop: what they ask for is ignored. */
function ignored(bug: Bug & { readonly options: Partial<RunOptions> }): Break {
  const { options, ...facts } = bug
  return brokenOptions({ ...facts, change: (asked) => ({ ...asked, ...options }) })
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
function asksAgainFor(words: RegExp): (options: StepLoopOptions) => StepLoopOptions {
  const bare = (message: Message): Message =>
    message.role === 'user' && typeof message.content === 'string' && words.test(message.content)
      ? { role: 'user', content: 'Again.' }
      : message
  return (options) =>
    withRequests(options, (request) => withMessages(request, (messages) => messages.map((message) => bare(message))))
}

function settingsOf({ temperature }: StepEdit): TurnRequest['settings'] {
  return { temperature }
}

/** When the loop goes on, and when it ends. */
export const decisionMutants: Breaks = {
  'stop-means-done': ignored({
    bug: 'A turn that ended with `stop` ends the run, though it called.',
    killer: 'three-turn#step-counts',
    options: { stopWhen: (steps) => /^stop$/i.test(steps.at(-1)?.rawFinishReason ?? '') },
  }),
  'limit-one-too-many': brokenOptions({
    bug: 'The limit of steps is looked at after the batch that it should have stopped.',
    killer: 'max-steps-throw#counters',
    change: (options) => ({
      ...options,
      ...(typeof options.maxSteps === 'number' && { maxSteps: options.maxSteps + 1 }),
    }),
  }),
  'excess-calls-run': ignored({
    bug: 'All calls of a turn run, however many a step may run.',
    killer: 'too-many-calls#counters',
    options: { maxToolCallsPerStep: undefined },
  }),
  'repetition-not-noticed': ignored({
    bug: 'The same call is run again and again.',
    killer: 'repeated-call#golden',
    options: { maxRepeatedCalls: 0 },
  }),
  'nudge-without-code': brokenOptions({
    bug: 'The answer to a repeated call does not say that it was not run.',
    killer: 'repeated-call#nudge-reaches-the-model',
    change: (options) =>
      withRequests(options, (request) =>
        changeResults(request, (result) => {
          const { output } = result
          const nudge = output.type === 'error' && output.value.code === 'repeated-call'
          return nudge ? { ...result, output: { type: 'text', value: 'Same as before.' } } : result
        }),
      ),
  }),
  'sleep-on-success-retry-after': brokenOptions({
    bug: 'The pause that a failure asked for is kept once more, after the attempt that succeeded.',
    killer: 'rate-limited#waits',
    change(options) {
      let pause: number | undefined
      const { model, clock = systemClock } = options
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
      return { ...options, model: withTurn(model, turn) }
    },
  }),
  'synthetic-forced-with-thinking': brokenOptions({
    bug: 'A model that thinks is forced to call the tool for structured answers, which such models refuse.',
    killer: 'structured-thinking#nothing-forced',
    change: (options) =>
      withRequests(options, (request) => {
        const hidden = request.tools?.find(({ name }) => name.startsWith('output_'))
        if (hidden === undefined || request.settings?.reasoning === undefined) return request
        return { ...request, toolChoice: { type: 'tool', toolName: hidden.name } }
      }),
  }),
  'object-beside-tools': brokenOptions({
    bug: 'The object is asked for from the first turn on, where the provider cannot combine that with tools.',
    killer: 'structured-apart#asked-for-apart',
    change(options) {
      const { model } = options
      const combined = { ...model.capabilities, structuredWithTools: true }
      return { ...options, model: { ...withTurn(model, (...asked) => model.turn(...asked)), capabilities: combined } }
    },
  }),
  'asks-again-without-words': brokenOptions({
    bug: 'After a call that the provider could not read, the model is asked again without being told.',
    killer: 'groq-tool-use-failed#asked-to-call-again',
    change: asksAgainFor(/could not be parsed/),
  }),
  'repair-without-reason': brokenOptions({
    bug: 'The model is asked for another object without a word of what is wrong with the first.',
    killer: 'structured-repair#says-what-is-wrong',
    change: asksAgainFor(/^The object is not valid/),
  }),
  'budget-of-output-only': brokenOptions({
    bug: 'A budget of tokens is spent by output tokens alone.',
    killer: 'token-budget#golden',
    change: (options) => ({ ...options, ...(options.maxTokens !== undefined && { maxTokens: options.maxTokens * 6 }) }),
  }),
  'finalizing-with-tools': brokenOptions({
    bug: 'At the limit the model is asked once more, and may still call.',
    killer: 'max-steps-finalize#finalizes-without-tools',
    change: (options) =>
      withRequests(options, (request) =>
        request.toolChoice === 'none' ? { ...request, toolChoice: 'auto' } : request,
      ),
  }),
  'inactive-tools-sent': brokenOptions({
    bug: 'An empty list of active tools means all of them.',
    killer: 'no-tools#no-keys',
    change: (options) => ({ ...options, ...(options.activeTools?.length === 0 && { activeTools: undefined }) }),
  }),
  'abort-ignored': brokenOutcome({
    bug: 'The signal of the caller is not looked at.',
    killer: 'abort-mid-stream#settles',
    run: (options) => ({ ...options, abortSignal: undefined }),
  }),
  'fallbacks-ignored': ignored({
    bug: 'No other model takes over.',
    killer: 'fallback#golden',
    options: { fallbacks: undefined },
  }),
}

/** Who runs a call, and what is asked before. */
export const ownershipMutants: Breaks = {
  'approval-skipped': brokenOptions({
    bug: 'Calls that need approval run at once.',
    killer: 'approval-granted#counters',
    change: (options) => withTools(options, (execute) => execute, { needsApproval: undefined }),
  }),
  'edit-ignored': brokenOutcome({
    bug: 'An approved call runs with the input of the model, not of the caller.',
    killer: 'approval-edited#runs-as-edited',
    input: changeAnswers((answer) => ('approved' in answer && answer.approved ? { approved: true } : answer)),
  }),
  'approval-of-all-ends-clients': brokenOutcome({
    bug: 'Whoever approves all has answered the calls of the client too.',
    killer: 'approve-all#golden',
    input: (input) => {
      if (typeof input === 'string' || !('toolOutputs' in input) || input.toolOutputs?.['*'] === undefined) return input
      const open = input.transcript?.pendingCalls.filter(({ reason }) => reason === 'client-tool') ?? []
      const answers = open.map(({ toolCallId }) => [toolCallId, { output: 'approved' }] as const)
      return { ...input, toolOutputs: { ...input.toolOutputs, ...Object.fromEntries(answers) } }
    },
  }),
  'edit-of-a-step-loses-settings': brokenOptions({
    bug: 'A step that one setting is edited of has no other one.',
    killer: 'instructions-and-settings#as-recorded',
    change: (options) => {
      const { prepareStep } = options
      let edit: StepEdit | undefined
      return {
        ...withRequests(options, (request) =>
          edit === undefined ? request : { ...request, settings: settingsOf(edit) },
        ),
        prepareStep: async (context) => (edit = await prepareStep?.(context)),
      }
    },
  }),
  'reason-of-denial-lost': brokenOutcome({
    bug: 'The model is not told why a call was denied.',
    killer: 'approval-denied#denial-reaches-the-model',
    input: changeAnswers((answer) => ('approved' in answer && !answer.approved ? { approved: false } : answer)),
  }),
  'approval-is-the-result': brokenOptions({
    bug: 'An approved call is answered with the approval; its tool’s output is lost.',
    killer: 'approval-granted#result-arrives',
    change: (options) =>
      withTools(options, (execute, name) =>
        name === 'restart_job'
          ? async (...asked) => {
              await execute(...asked)
              return 'approved'
            }
          : execute,
      ),
  }),
  'outputs-encoded-twice': brokenOutcome({
    bug: 'Texts that the caller answers with are encoded as JSON.',
    killer: 'client-tool#output-arrives',
    input: changeAnswers((answer) =>
      'output' in answer && typeof answer.output === 'string' ? { output: JSON.stringify(answer.output) } : answer,
    ),
  }),
  'pending-calls-lost': brokenOutcome({
    bug: 'A run that waits for the caller does not say for what.',
    killer: 'client-tool#suspends-with-the-call',
    result: (result) => ({ ...result, transcript: { ...result.transcript, pendingCalls: [] } }),
  }),
  'outputs-of-the-caller-last': brokenOptions({
    bug: 'What the caller answered stands behind the results of the loop, whatever the order of the calls.',
    killer: 'mixed-owners#call-order-after-resuming',
    change: (options) =>
      withRequests(options, (request) =>
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
  'unknown-tools-pend': ignored({
    bug: 'A call of a tool that nobody has waits for an answer of the caller.',
    killer: 'unknown-tool#names-available-tools',
    options: { unknownTools: 'client' },
  }),
}
