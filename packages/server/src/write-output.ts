import type { LoopEvent, ToolResultPart } from '@steploop/core'
import { writeApproval, writeGatewayCall, writeListed, type GatewayViews, type GatewayWriter } from './gateway-items.ts'
import type { JsonObject } from './json.ts'
import {
  createItemLog,
  writeClientCall,
  writeMessage,
  writeReasoning,
  type CallWriter,
  type EventData,
  type ItemLog,
  type MessageWriter,
  type OpenItem,
  type ReasoningWriter,
} from './output-items.ts'
import type { ToolView } from './read-tools.ts'
import type { SealedTurn } from './seal.ts'

export interface OutputOptions {
  readonly emit: (event: EventData) => void
  /** Tools that the client runs, by the name that the model knows. */
  readonly views: ReadonlyMap<string, ToolView>
  readonly gateway: GatewayViews
  /** Output items of a server that died. */
  readonly earlier?: readonly JsonObject[] | undefined
  /** Seals a turn for the client; absent where the model has nothing that it needs back. */
  readonly seal?: ((turn: SealedTurn) => Promise<string>) | undefined
}

/** Makes items and events of what a run tells. */
export interface OutputWriter {
  readonly items: readonly OpenItem[]
  /** Something of the current step was told already. */
  readonly hasContent: boolean
  /** The promise, where there is one, is to be waited for. */
  event(event: LoopEvent): Promise<void> | undefined
  /** A message that is in no turn of the model's. */
  say(text: string): void
  /** Closes what is open: the run was cut off. */
  close(): void
}

/** What is open of a step. */
interface StepState {
  number: number
  /** Items before it. */
  first: number
  message: MessageWriter | undefined
  /** The reasoning that carries the state of the turn. */
  carrier: ReasoningWriter | undefined
  readonly reasoning: Map<number, ReasoningWriter>
  readonly calls: Map<string, CallWriter>
}

interface WriterState {
  readonly options: OutputOptions
  readonly log: ItemLog
  readonly gatewayCalls: Map<string, GatewayWriter>
  step: StepState
  hasListed: boolean
}

export function createOutputWriter(options: OutputOptions): OutputWriter {
  const log = createItemLog(options.emit, options.earlier)
  const state: WriterState = {
    options,
    log,
    gatewayCalls: new Map(),
    hasListed: false,
    step: newStep(0, log.items.length),
  }
  return {
    items: log.items,
    get hasContent() {
      return log.items.length > state.step.first
    },
    event(event) {
      if (event.type === 'step-end') {
        const { message, toolResults, finishReason } = event.step
        closeMessage(state, finishReason === 'length' ? 'incomplete' : 'completed')
        return endStep(state, { message, results: toolResults.filter((result) => !isClients(state, result)) })
      }
      if (!writeContent(state, event)) writeCalls(state, event)
      return undefined
    },
    say(text) {
      const message = writeMessage(log, state.step.number)
      message.text(0, text)
      message.end('completed')
    },
    close: () => close(state),
  }
}

/** True for an event of a text or of reasoning. */
function writeContent(state: WriterState, event: LoopEvent): boolean {
  switch (event.type) {
    case 'text-start':
    case 'text-delta':
      messageOf(state).text(event.part, event.type === 'text-delta' ? event.text : '')
      return true
    case 'refusal-delta':
      messageOf(state).refusal(event.part, event.text)
      return true
    case 'citation':
      messageOf(state).cite(event.part, event.citation)
      return true
    case 'reasoning-start':
      reasoningAt(state, event.part)
      return true
    case 'reasoning-delta':
      reasoningAt(state, event.part).delta(event.text)
      return true
    case 'reasoning-end':
      reasoningAt(state, event.part).end()
      return true
    case 'file':
    case 'opaque':
    case 'partial-output':
    case 'run-end':
    case 'run-error':
    case 'run-start':
    case 'step-end':
    case 'step-retry':
    case 'step-start':
    case 'text-end':
    case 'tool-call':
    case 'tool-call-delta':
    case 'tool-call-start':
    case 'tool-progress':
    case 'tool-result':
    case 'tool-state':
    case 'warning':
    default:
      return false
  }
}

function writeCalls(state: WriterState, event: LoopEvent): void {
  const { log, gatewayCalls, step, options } = state
  switch (event.type) {
    case 'step-start':
      state.step = newStep(event.step, log.items.length)
      return
    case 'step-retry':
      log.forget(step.first)
      state.step = newStep(step.number, step.first)
      return
    case 'tool-call-start':
      return startCall(state, event.toolCallId, event.toolName)
    case 'tool-call-delta':
      return step.calls.get(event.toolCallId)?.delta(event.inputText)
    case 'tool-call': {
      const { toolCallId, toolName, inputText, invalid, owner } = event
      startCall(state, toolCallId, toolName)
      step.calls.get(toolCallId)?.finish(inputText, invalid === undefined ? 'completed' : 'incomplete')
      startGateway(state, { id: toolCallId, toolName, inputText, isProviders: owner === 'provider' })
      return
    }
    case 'run-start':
      for (const { toolCallId: id, toolName, input } of event.pendingCalls ?? [])
        if (options.gateway.approval(id) !== undefined)
          startGateway(state, { id, toolName, inputText: JSON.stringify(input), isProviders: false })
      return
    case 'tool-state':
      if (event.state === 'running') gatewayCalls.get(event.toolCallId)?.running()
      return
    case 'tool-result':
      return gatewayCalls.get(event.toolCallId)?.finish(event.output)
    case 'citation':
    case 'file':
    case 'opaque':
    case 'partial-output':
    case 'reasoning-delta':
    case 'reasoning-end':
    case 'reasoning-start':
    case 'refusal-delta':
    case 'run-end':
    case 'run-error':
    case 'step-end':
    case 'text-delta':
    case 'text-end':
    case 'text-start':
    case 'tool-progress':
    case 'warning':
      return
  }
}

/** Clients send reasoning back before what it led to: the turn's state has to be in an item that begins before all others. */
function begin(state: WriterState): void {
  const { options, log, step } = state
  if (!state.hasListed) {
    state.hasListed = true
    writeListed(log, options.gateway.listed)
    step.first = log.items.length
  }
  if (options.seal !== undefined) step.carrier ??= writeReasoning(log, step.number)
}

function messageOf(state: WriterState): MessageWriter {
  begin(state)
  return (state.step.message ??= writeMessage(state.log, state.step.number))
}

function closeMessage({ step }: WriterState, status: 'completed' | 'incomplete' = 'completed'): void {
  step.message?.end(status)
  step.message = undefined
}

function reasoningAt(state: WriterState, slot: number): ReasoningWriter {
  const { step, log } = state
  const known = step.reasoning.get(slot)
  if (known !== undefined) return known
  closeMessage(state)
  begin(state)
  const isFirst = step.reasoning.size === 0 && step.carrier !== undefined
  const made = isFirst ? step.carrier : undefined
  const writer = made ?? writeReasoning(log, step.number)
  step.reasoning.set(slot, writer)
  return writer
}

function startCall(state: WriterState, id: string, name: string): void {
  const { step, log, options } = state
  const view = options.views.get(name)
  if (view === undefined || step.calls.has(id)) return
  closeMessage(state)
  begin(state)
  step.calls.set(id, writeClientCall(log, step.number, { id, view }))
}

function startGateway(
  state: WriterState,
  { isProviders, ...call }: { id: string; toolName: string; inputText: string; isProviders: boolean },
): void {
  const { step, log, options, gatewayCalls } = state
  const view = isProviders ? options.gateway.providerView(call.toolName) : options.gateway.viewOf(call.toolName)
  if (view === undefined || gatewayCalls.has(call.id)) return
  closeMessage(state)
  begin(state)
  const approval = options.gateway.approval(call.id)
  const writer =
    view.asks && approval === undefined
      ? writeApproval(log, { step: step.number, view, ...call })
      : writeGatewayCall(log, { step: step.number, view, approval, ...call })
  gatewayCalls.set(call.id, writer)
  if (isProviders) writer.running()
}

/** The client answers these; the others were carried out here. */
function isClients({ step }: WriterState, { toolCallId }: ToolResultPart): boolean {
  return step.calls.has(toolCallId)
}

async function endStep(state: WriterState, turn: SealedTurn): Promise<void> {
  const { step, gatewayCalls, options } = state
  closeMessage(state)
  for (const call of step.calls.values()) if (!call.item.done) call.finish('', 'incomplete')
  for (const writer of step.reasoning.values()) if (writer !== step.carrier) writer.finish(undefined)
  if (step.carrier === undefined) return
  const itemIds = Object.fromEntries([...gatewayCalls].map(([id, { item }]) => [id, item.id]))
  step.carrier.finish(await options.seal?.({ ...turn, itemIds }))
}

function close(state: WriterState): void {
  const { step, gatewayCalls } = state
  closeMessage(state, 'incomplete')
  for (const call of step.calls.values()) if (!call.item.done) call.finish('', 'incomplete')
  for (const call of gatewayCalls.values()) call.abandon()
  for (const writer of [step.carrier, ...step.reasoning.values()])
    if (writer?.item.done === false) writer.finish(undefined)
}

function newStep(number: number, first: number): StepState {
  return { number, first, message: undefined, carrier: undefined, reasoning: new Map(), calls: new Map() }
}
