import {
  StepLoop,
  type Adapter,
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
import { canonicalJson } from '../wires/json.ts'
import type { Choice, Item, ResultItem } from './conversation.ts'
import type { Chain, LinkedTurn } from './link-turns.ts'
import { splitAdded, toolsOf } from './recorded-tools.ts'
import { serveChain } from './serve-recorded.ts'
import { messagesOf } from './to-messages.ts'

/** What the loop did with the recorded responses of a chain. */
export interface DrivenChain {
  /** Bodies of its requests, in order. */
  readonly sent: readonly Readonly<Record<string, unknown>>[]
  /** Why it did not come to the end; `undefined`: it did. */
  readonly stopped: string | undefined
}

interface Drive {
  readonly chain: Chain
  readonly adapter: Adapter
  readonly options: StepLoopOptions
  /** Index of the response that the next request gets. */
  next: number
}

/**
 * Has the loop hold a recorded conversation: MSW serves the recorded responses, tools answer as they did then, and what the user said
 * next comes as it came. Between the user's turns the conversation is stored as JSON. Never rejects.
 */
export async function driveChain(chain: Chain): Promise<DrivenChain> {
  const served = serveChain(chain)
  try {
    const [first] = chain as readonly [LinkedTurn]
    const model = first.detected.wire === 'gemini-generate' ? modelOfUrl(first) : first.body['model']
    const adapter = first.subject.adapter({
      fetch: served.fetch,
      apiKey: 'recorded-traffic',
      ...(typeof model === 'string' && { model }),
    })
    const drive: Drive = { chain, adapter, options: optionsOf(chain, adapter), next: 0 }
    return { sent: served.sent, stopped: await holdConversation(drive, () => served.sent.length) }
  } catch (error) {
    return { sent: served.sent, stopped: error instanceof Error ? `${error.name}: ${error.message}` : String(error) }
  } finally {
    served.close()
  }
}

function modelOfUrl({ interaction }: LinkedTurn): string | undefined {
  return /\/models\/([^/:]+)(?::|$)/.exec(interaction.request?.url ?? '')?.[1]
}

async function holdConversation(drive: Drive, asked: () => number): Promise<string | undefined> {
  const { chain } = drive
  let input: RunInput | undefined = { messages: messagesOf(withoutSystem(chain[0]?.added ?? [])) }
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

/** A lone system prompt is the loop's own; several stay messages. */
function withoutSystem(items: readonly Item[]): readonly Item[] {
  return instructionsOf(items) === undefined ? items : items.slice(1)
}

function instructionsOf(items: readonly Item[]): string | undefined {
  const [first, second] = items
  return first?.type === 'system' && second?.type !== 'system' ? first.text : undefined
}

async function runOnce(drive: Drive, input: RunInput): Promise<RunResult> {
  const { chain, options, next } = drive
  const mode = chain[next]?.detected.mode
  const loop = new StepLoop({
    ...options,
    stopWhen: (steps) => chain[next + steps.length]?.detected.mode !== mode,
    onStepEnd: ({ steps }) => spokenBetween(drive, steps),
    prepareStep: ({ step }) => editOf(drive, next + step),
  })
  if (mode !== 'stream') return loop.generate(input)
  const stream = loop.stream(input)
  for await (const _ of stream) continue
  return stream.result
}

/** What the user says together with the results of tools, or in more than words. */
function spokenBetween({ chain, next }: Drive, steps: readonly Step[]): LoopControl | undefined {
  const turn = chain[next + steps.length]
  if (turn === undefined || turn.detected.mode !== chain[next]?.detected.mode) return undefined
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
  const { answers, said } = splitAdded(turn)
  const reply = replyOf(said)
  const prompt = reply === undefined ? {} : { prompt: reply }
  if (status === 'requires-action' && answers.some(({ files }) => files.length > 0)) {
    // Answers of callers are texts or JSON; files come in messages.
    return { messages: [...stored.messages, ...messagesOf([...callItems(stored), ...answers, ...said]).slice(1)] }
  }
  if (status === 'requires-action') {
    return { transcript: stored, ...prompt, toolOutputs: outputsFor(stored.pendingCalls, answers, said) }
  }
  return { transcript: stored, ...prompt }
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
  const answers = pending.flatMap(({ toolCallId }, index): [string, ToolAnswer][] => {
    const unnamed = results[index]?.id === undefined ? results[index] : undefined
    const result = results.find(({ id }) => id === toolCallId) ?? unnamed
    const block = blocks.find((one) => [one['call_id'], one['id'], one['approval_request_id']].includes(toolCallId))
    if (result !== undefined) return [[toolCallId, { output: result.output }]]
    return block === undefined ? [] : [[toolCallId, { output: block }]]
  })
  return Object.fromEntries(answers)
}

/** What the recorded client changed from one request to the next. */
function editOf({ chain }: Drive, index: number): StepEdit | undefined {
  const [first, now] = [chain[0]?.request, chain[index]?.request]
  if (first === undefined || now === undefined) return undefined
  const choices = chain.map(({ request }) => canonicalJson(request.choice))
  const toolNames = chain.map(({ request }) => canonicalJson(request.tools.map(({ name }) => name)))
  return {
    // The loop's own forced choice holds for the first step.
    ...((new Set(choices).size > 1 || isForced(now.choice)) && { toolChoice: choiceOf(now.choice) ?? 'auto' }),
    ...(new Set(toolNames).size > 1 && { activeTools: now.tools.map(({ name }) => name) }),
    ...(!hasOneSystem(chain) && { instructions: instructionsOf(now.items) }),
  }
}

function isForced(choice: Choice | undefined): boolean {
  return choice === 'required' || typeof choice === 'object'
}

/** Requests that name the response before may leave the system prompt out or not. */
function hasOneSystem(chain: Chain): boolean {
  return new Set(chain.map(({ request }) => instructionsOf(request.items))).size === 1
}

function optionsOf(chain: Chain, adapter: Adapter): StepLoopOptions {
  const [{ request }] = chain as readonly [LinkedTurn]
  const continues = chain.slice(1).some((turn) => turn.request.previous !== undefined)
  const settings = {
    ...request.settings,
    ...(continues && { store: true }),
    // What came before the recording is at the provider.
    ...(request.previous !== undefined && { previous_response_id: request.previous }),
  }
  const toolChoice = choiceOf(request.choice)
  const instructions = hasOneSystem(chain) ? instructionsOf(request.items) : undefined
  return {
    model: adapter,
    tools: toolsOf(chain, adapter.provider),
    ...(toolChoice !== undefined && { toolChoice }),
    ...(instructions !== undefined && { instructions }),
    providerOptions: { [adapter.provider]: settings },
    continuation: continues ? 'auto' : 'off',
    maxSteps: 128,
    maxRepeatedCalls: 0,
    maxRetries: 0,
    unknownTools: 'client',
  }
}

function choiceOf(choice: Choice | undefined): ToolChoice | undefined {
  return typeof choice === 'object' ? { type: 'tool', toolName: choice.toolName } : choice
}
