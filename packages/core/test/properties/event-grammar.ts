import type { LoopEvent } from '../../src/contract/loop-events.ts'
import type { ConsumerDraw } from './draw.ts'

/** What is wrong with the order of a run's events. */
export function eventProblems(events: readonly LoopEvent[], consumer: ConsumerDraw, left: boolean): readonly string[] {
  if (!['events', 'slow', 'readable', 'leave'].includes(consumer.type)) return []
  const problems: string[] = []
  const ends = events.filter((event) => event.type === 'run-end' || event.type === 'run-error').length
  if (ends !== (left ? Math.min(ends, 1) : 1)) problems.push(`${ends} terminal events`)
  const last = events.at(-1)
  if (ends > 0 && last?.type !== 'run-end' && last?.type !== 'run-error') problems.push('events after the terminal one')
  const state = createState()
  for (const [index, event] of events.entries()) {
    const problem = index === 0 ? beginning(event) : follow(state, event)
    if (problem !== undefined) problems.push(`event ${index} (${event.type}): ${problem}`)
  }
  if (last?.type === 'run-end') problems.push(...unsettled(state, last))
  if (last?.type === 'run-error') problems.push(...running(state))
  return problems
}

function beginning(event: LoopEvent): string | undefined {
  return event.type === 'run-start' || event.type === 'run-error' ? undefined : 'the run did not start'
}

interface State {
  /** `undefined` before the first step: a run that goes on counts on. */
  step: number | undefined
  inStep: boolean
  /** What came after the last step: the answer of a hook. */
  override: string
  text: string
  /** Kinds of the parts that are open in this attempt. */
  readonly parts: Map<number, string>
  readonly tools: Map<string, string>
}

function createState(): State {
  return { step: undefined, inStep: false, override: '', text: '', parts: new Map(), tools: new Map() }
}

function follow(state: State, event: LoopEvent): string | undefined {
  switch (event.type) {
    case 'run-start':
      return 'the run starts again'
    case 'step-start': {
      if (state.inStep) return 'a step within a step'
      state.inStep = true
      const expected = state.step === undefined ? event.step : state.step + 1
      state.step = event.step
      forget(state)
      return event.step === expected ? undefined : `step ${event.step} comes where ${expected} was due`
    }
    case 'step-retry':
      forget(state)
      for (const [id, known] of state.tools) if (!known.startsWith('answered')) state.tools.delete(id)
      return state.inStep ? undefined : 'a retry outside of a step'
    case 'step-end': {
      const isSame = state.text === event.step.text
      state.inStep = false
      return isSame ? undefined : `its text is '${event.step.text}', its deltas gave '${state.text}'`
    }
    case 'tool-state':
      return toolState(state, event.toolCallId, event.state)
    case 'tool-progress': {
      const known = state.tools.get(event.toolCallId)
      return known === 'running' ? undefined : `${event.toolCallId} reports and is ${known}`
    }
    case 'tool-result':
      if (event.owner === 'provider') return undefined
      return toolState(
        state,
        event.toolCallId,
        event.output.type === 'error' ? 'answered failed' : 'answered completed',
      )
    case 'partial-output':
      return state.inStep ? undefined : 'a part of the output outside of a step'
    case 'warning':
    case 'run-end':
    case 'run-error':
      return undefined
    case 'citation':
    case 'file':
    case 'opaque':
    case 'reasoning-delta':
    case 'reasoning-end':
    case 'reasoning-start':
    case 'refusal-delta':
    case 'text-delta':
    case 'text-end':
    case 'text-start':
    case 'tool-call':
    case 'tool-call-delta':
    case 'tool-call-start':
    default:
      return part(state, event)
  }
}

function forget(state: State): void {
  state.text = ''
  state.parts.clear()
}

const before: Readonly<Record<string, readonly (string | undefined)[]>> = {
  queued: [undefined, 'queued'],
  running: ['queued'],
  completed: ['queued', 'running'],
  failed: ['queued', 'running'],
  'answered completed': ['completed'],
  'answered failed': ['failed'],
}

function toolState({ tools }: State, id: string, next: string): string | undefined {
  const known = tools.get(id)
  tools.set(id, next)
  return before[next]?.includes(known) ? undefined : `${id} goes from ${known} to ${next}`
}

type PartEvent = Extract<LoopEvent, { readonly part: number }>

function part(state: State, event: PartEvent): string | undefined {
  if (!state.inStep) return afterSteps(state, event)
  const [kind, phase] = [event.type.replace(/-(start|delta|end)$/, ''), /-(start|delta|end)$/.exec(event.type)?.[1]]
  const open = state.parts.get(event.part)
  if (phase === 'start') state.parts.set(event.part, kind)
  if (event.type === 'text-delta') state.text += event.text
  const continues = phase === 'delta' || phase === 'end'
  return continues && open !== kind ? `part ${event.part} is not open` : undefined
}

function afterSteps(state: State, event: PartEvent): string | undefined {
  if (event.type === 'text-delta') state.override += event.text
  return event.type.startsWith('text-') ? undefined : 'content outside of a step'
}

/** Whoever shows the calls of a run that failed sees none of them at work for ever. */
function running({ tools }: State): readonly string[] {
  return [...tools].filter(([, state]) => state === 'running').map(([id]) => `${id} stays running`)
}

/** A run that ended by itself leaves no call in the middle of something. */
function unsettled(reached: State, { result }: Extract<LoopEvent, { type: 'run-end' }>): readonly string[] {
  const { tools, inStep, override } = reached
  if (override !== '' && (result.stopReason !== 'hook' || result.text !== override)) {
    return [`'${override}' comes after the last step, but the answer is '${result.text}' (${result.stopReason})`]
  }
  if (result.stopReason === 'timeout') return []
  const pending = new Set(result.transcript.pendingCalls.map((call) => call.toolCallId))
  const open = [...tools].filter(([id, state]) => !state.startsWith('answered') && !pending.has(id))
  const problems = open.map(([id, state]) => `${id} stays ${state}`)
  return inStep ? [...problems, 'the last step never ended'] : problems
}
