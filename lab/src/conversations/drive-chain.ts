import {
  AdapterError,
  LoopError,
  StepLoop,
  type Adapter,
  type Capabilities,
  type LoopControl,
  type RunInput,
  type RunResult,
  type Step,
  type StepEdit,
  type StepLoopOptions,
  type ToolAnswer,
  type ToolChoice,
  type Transcript,
} from '@steploop/core'
import { objectOf, type JsonObject } from '@steploop/core/adapter'
import { canonicalJson, type Item, type ResultItem, wireKit } from '@steploop/conformance/cli'
import { withoutPrompt, type Chain, type LinkedTurn } from './link-turns.ts'
import { recordedAnswers, splitAdded, toolsOf, type RecordedAnswers } from './recorded-tools.ts'
import { serveChain } from './serve-recorded.ts'
import { messagesOf } from './to-messages.ts'

/** What the loop did with the recorded responses of a chain. */
export interface DrivenChain {
  /** Bodies of its requests, in order. */
  readonly sent: readonly Readonly<Record<string, unknown>>[]
  /** What the adapter claims. */
  readonly claims: Capabilities
  /** Why it did not come to the end; `undefined`: it did. */
  readonly stopped: string | undefined
  /** The adapter refused, with a typed error, to send what the recorded client sent. */
  readonly isRefused?: boolean | undefined
}

interface Drive {
  readonly chain: Chain
  readonly adapter: Adapter
  readonly answer: RecordedAnswers
  /** Index of the response that the next request gets. */
  next: number
}

/**
 * Has the loop hold a recorded conversation: MSW serves the recorded responses, tools answer as they did then, and what the user said
 * next comes as it came. Between the user's turns the conversation is stored as JSON. Never rejects.
 */
export async function driveChain(chain: Chain): Promise<DrivenChain> {
  const served = await serveChain(chain)
  let claims: Capabilities = {}
  try {
    const [first] = chain as readonly [LinkedTurn]
    const { modelOf } = wireKit(first.detected.wire)?.detect ?? {}
    const model = modelOf?.(first.interaction.request?.url ?? '') ?? first.body['model']
    const adapter = first.subject.adapter({
      fetch: served.fetch,
      apiKey: 'recorded-traffic',
      ...(typeof model === 'string' && { model }),
    })
    const drive: Drive = { chain, adapter, answer: recordedAnswers(chain), next: 0 }
    claims = adapter.capabilities
    return { sent: served.sent, claims, stopped: await holdConversation(drive, () => served.sent.length) }
  } catch (error) {
    const stopped = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
    return { sent: served.sent, claims, stopped, isRefused: isRefusal(error) }
  } finally {
    served.close()
  }
}

const refusals: ReadonlySet<string> = new Set(['invalid-input', 'invalid-options', 'duplicate-tool'])

/** The adapter, or the loop, says that it does not take what the client sent. */
function isRefusal(error: unknown): boolean {
  if (AdapterError.isInstance(error)) return error.code === 'unsupported'
  if (LoopError.isInstance(error) && refusals.has(error.code)) return true
  return error instanceof Error && error.cause !== undefined && isRefusal(error.cause)
}

async function holdConversation(drive: Drive, asked: () => number): Promise<string | undefined> {
  const { chain } = drive
  let input: RunInput | undefined = { messages: messagesOf(withoutSystem(chain[0]?.added ?? [], hasOneSystem(chain))) }
  while (input !== undefined) {
    const before = asked()
    const result = await runOnce(drive, input)
    drive.next = asked()
    if (drive.next >= chain.length) return undefined
    if (drive.next === before) return `the loop stops before request ${before + 1} of ${chain.length}`
    input = nextInput(drive, result)
  }
  return `the loop cannot go on to request ${drive.next + 1} of ${chain.length}`
}

/** A lone system prompt is the loop's own; several stay messages, unless they change from request to request. */
function withoutSystem(items: readonly Item[], isSame: boolean): readonly Item[] {
  if (!isSame) return withoutPrompt(items)
  return instructionsOf(items) === undefined ? items : items.slice(1)
}

function instructionsOf(items: readonly Item[]): string | undefined {
  const [first, second] = items
  return first?.type === 'system' && second?.type !== 'system' ? first.text : undefined
}

async function runOnce(drive: Drive, input: RunInput): Promise<RunResult> {
  const { chain, next } = drive
  const first = chain[next]
  const loop = new StepLoop({
    ...optionsOf(drive),
    stopWhen: (steps) => !isOneRun(first, chain[next + steps.length]),
    onStepEnd: ({ steps }) => userInputBetween(drive, steps),
    prepareStep: ({ steps }) => editOf(drive, next + steps.length),
  })
  if (first?.detected.mode !== 'stream') return loop.generate(input)
  const stream = loop.stream(input)
  for await (const _ of stream) continue
  return stream.result
}

/** In one run mode and tools stay the same. */
function isOneRun(first: LinkedTurn | undefined, turn: LinkedTurn | undefined): boolean {
  if (first === undefined || turn === undefined || first.detected.mode !== turn.detected.mode) return false
  const [one, other] = [first, turn].map(({ request }) => canonicalJson(request.tools.map((each) => each.declaration)))
  return one === other
}

/** What the user says together with the results of tools, or in more than words. */
function userInputBetween({ chain, next }: Drive, steps: readonly Step[]): LoopControl | undefined {
  const turn = chain[next + steps.length]
  if (turn === undefined || !isOneRun(chain[next], turn)) return undefined
  const { said } = splitAdded(turn)
  const isReply = steps.at(-1)?.finishReason !== 'tool-calls' && replyOf(said) !== undefined
  return said.length === 0 || isReply ? undefined : { type: 'continue', messages: messagesOf(said) }
}

/** A lone text, which is a prompt. */
function replyOf(said: readonly Item[]): string | undefined {
  const [only, ...others] = said
  return only?.type === 'user' && others.length === 0 ? only.text : undefined
}

function nextInput({ chain, next }: Drive, { transcript, status }: RunResult): RunInput | undefined {
  const stored = JSON.parse(JSON.stringify(transcript)) as Transcript
  const turn = chain[next]
  if (turn === undefined) return undefined
  const { answers: given, said } = splitAdded(turn)
  const answers = renumbered(given, stored)
  const reply = replyOf(said)
  const prompt = reply === undefined ? {} : { prompt: reply }
  if (status === 'requires-action' && answers.some(({ files }) => files.length > 0)) {
    // Answers of callers are texts or JSON; files come in messages.
    return { messages: [...stored.messages, ...messagesOf([...callItems(stored), ...answers, ...said]).slice(1)] }
  }
  if (status === 'requires-action') {
    return { transcript: stored, ...prompt, toolOutputs: outputsFor(stored.pendingCalls, answers, said) }
  }
  if (said.length > 0 && reply === undefined) return { messages: [...stored.messages, ...messagesOf(said)] }
  return { transcript: stored, ...prompt }
}

/** With the ids of the calls that wait: clients that number calls in their own way answer them in their order. */
function renumbered(answers: readonly ResultItem[], { pendingCalls }: Transcript): readonly ResultItem[] {
  const given = new Set(answers.map(({ id }) => id))
  const ids = new Set(pendingCalls.map(({ toolCallId }) => toolCallId))
  const open = pendingCalls.filter(({ toolCallId }) => !given.has(toolCallId))
  return answers.map((answer) => {
    if (answer.id !== undefined && ids.has(answer.id)) return answer
    return { ...answer, id: open.shift()?.toolCallId ?? answer.id }
  })
}

/** Calls that wait for their answers. */
function callItems({ pendingCalls }: Transcript): readonly Item[] {
  return pendingCalls.map(({ toolCallId: id, toolName, input }) => ({ type: 'call', id, toolName, input }))
}

/** Answers to calls that the loop handed to its caller: functions that no request declares, and the provider's own kinds. */
function outputsFor(
  pending: Transcript['pendingCalls'],
  results: readonly ResultItem[],
  said: readonly Item[],
): Record<string, ToolAnswer> {
  const blocks = said.flatMap((item) => (item.type === 'block' ? [item.block] : []))
  const answers = pending.flatMap(({ toolCallId }): [string, ToolAnswer][] => {
    const result = results.find(({ id }) => id === toolCallId)
    const block = blocks.find((one) => [one['call_id'], one['id'], one['approval_request_id']].includes(toolCallId))
    if (result !== undefined) return [[toolCallId, { output: result.output }]]
    return block === undefined ? [] : [[toolCallId, { output: answerIn(block) }]]
  })
  return Object.fromEntries(answers)
}

/** What an item that answers a call of the provider's own kind says, without what makes it one. */
function answerIn({ type, call_id: _call, id: _id, approval_request_id: _request, ...answer }: JsonObject): unknown {
  const { output, status, ...others } = answer
  if (type === 'computer_call_output') return { ...objectOf(output), ...others }
  return status === undefined && Object.keys(others).length === 0 ? output : answer
}

/** What the recorded client changed from one request to the next. */
function editOf({ chain }: Drive, index: number): StepEdit | undefined {
  const [first, now] = [chain[0]?.request, chain[index]?.request]
  if (first === undefined || now === undefined) return undefined
  const choices = chain.map(({ request }) => canonicalJson(request.choice))
  return {
    // The loop's own forced choice holds for the first step.
    ...((new Set(choices).size > 1 || isForced(now.choice)) && { toolChoice: now.choice ?? 'auto' }),
    ...(!hasOneSystem(chain) && { instructions: promptOf(now.items) }),
  }
}

function isForced(choice: ToolChoice | undefined): boolean {
  return choice === 'required' || typeof choice === 'object'
}

/** Requests that name the response before may leave the system prompt out or not; some clients write it anew each time. */
function hasOneSystem(chain: Chain): boolean {
  return new Set(chain.map(({ request }) => promptOf(request.items))).size === 1
}

/** All system prompts at the beginning, as one. */
function promptOf(items: readonly Item[]): string | undefined {
  const end = items.findIndex(({ type }) => type !== 'system')
  const prompts = items.slice(0, end < 0 ? items.length : end).flatMap((item) => ('text' in item ? [item.text] : []))
  return prompts.length === 0 ? undefined : prompts.join('\n\n')
}

function optionsOf({ chain, adapter, answer, next }: Drive): StepLoopOptions {
  const { request } = (chain[next] ?? chain[0]) as LinkedTurn
  const continues = chain.slice(1).some((turn) => turn.request.previous !== undefined)
  const settings = {
    ...request.settings,
    ...(continues && { store: true }),
    // What came before the recording is at the provider.
    ...(next === 0 && request.previous !== undefined && { previous_response_id: request.previous }),
  }
  const instructions = hasOneSystem(chain) ? instructionsOf(request.items) : undefined
  return {
    model: adapter,
    tools: toolsOf(request.tools, adapter.provider, answer),
    ...(request.choice !== undefined && { toolChoice: request.choice }),
    ...(instructions !== undefined && { instructions }),
    providerOptions: { [adapter.provider]: settings },
    continuation: continues ? 'auto' : 'off',
    maxSteps: 128,
    maxRepeatedCalls: 0,
    maxRetries: 0,
    unknownTools: 'client',
  }
}
