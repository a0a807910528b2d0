import type { LoopEvent } from '@steploop/core'
import { isObject, type TurnEvent } from '@steploop/core/adapter'
import { orderFaults } from '@steploop/core/testing'
import type { Check, Failure } from '../check.ts'
import type { Evidence, RunRecord, TurnRecord } from '../evidence.ts'
import { canonicalJson, parsed } from '../json.ts'

/** `generate` gives a result and no events. */
function notStreamed({ mode }: Evidence): string | undefined {
  return mode === 'generate' ? 'a run in generate mode gives no events' : undefined
}

export const oneTerminalEvent: Check = {
  id: 'one-terminal-event',
  sentence: 'A streamed run ends with exactly one `run-end` or `run-error`, and nothing comes after it.',
  notSeen: notStreamed,
  judge: ({ runs }) =>
    runs.flatMap(({ events, number }) => {
      const ends = events.filter(({ type }) => type === 'run-end' || type === 'run-error')
      const where = `run ${number}`
      if (ends.length !== 1) {
        const named = ends.map(({ type }) => `'${type}'`).join(', ')
        return [{ message: `there are ${ends.length} terminal events${named && ` (${named})`}, not one`, where }]
      }
      return events.at(-1) === ends[0]
        ? []
        : [{ message: `'${events.at(-1)?.type}' comes after the terminal event '${ends[0]?.type}'`, where }]
    }),
}

export const eventOrder: Check = {
  id: 'event-order',
  sentence:
    'Events of a streamed run come in order: `run-start`, per step `step-start` … `step-end`, a tool’s states one after the other.',
  notSeen: notStreamed,
  judge: ({ runs }) => runs.flatMap((run) => orderFailures(run)),
}

function orderFailures({ events, number }: RunRecord): readonly Failure[] {
  const failures: Failure[] = []
  const fail = (at: number, message: string): void => {
    failures.push({ message, where: `run ${number}, event ${at + 1}` })
  }
  let open: number | undefined
  // A run that goes on from its transcript counts on.
  let due = events.find((event) => event.type === 'step-start')?.step
  const states = new Map<string, string>()
  for (const [at, event] of events.entries()) {
    const neverBegan = events.length === 1 && event.type === 'run-error'
    if (!neverBegan && (at === 0) !== (event.type === 'run-start'))
      fail(at, `'${event.type}' at the wrong end: \`run-start\` comes first and once`)
    if (event.type === 'step-start') {
      if (open !== undefined) fail(at, `step ${event.step + 1} begins before step ${open + 1} has ended`)
      if (event.step !== due) fail(at, `step ${event.step + 1} begins; it should be step ${(due ?? 0) + 1}`)
      open = event.step
    } else if (event.type === 'step-end') {
      if (open !== event.step.number) fail(at, `step ${event.step.number + 1} ends without having begun`)
      open = undefined
      due = event.step.number + 1
    } else if (event.type === 'tool-state') {
      const before = states.get(event.toolCallId) ?? 'none'
      if (!follows(before, event.state)) fail(at, `the tool goes from ${before} to ${event.state}`)
      states.set(event.toolCallId, event.state)
    } else if (event.type === 'tool-progress') {
      const state = states.get(event.toolCallId) ?? 'none'
      if (state !== 'running') fail(at, `the tool reports its progress and is ${state}`)
    } else if (isContent(event) && open === undefined && !isOverride(event, events))
      fail(at, `'${event.type}' comes outside of a step`)
    else if (event.type === 'run-end' && event.result.stopReason !== 'timeout')
      unfinished(open, states).forEach((what) => fail(at, `the run ends while ${what}`))
  }
  return failures
}

/** A run whose time is over leaves its step as it is. */
function unfinished(open: number | undefined, states: ReadonlyMap<string, string>): readonly string[] {
  const running = [...states].filter(([, state]) => state === 'running').map(([id]) => `the call ${id} is running`)
  return open === undefined ? running : [`step ${open + 1} is open`, ...running]
}

const nextStates: Readonly<Record<string, readonly string[]>> = {
  none: ['queued'],
  // What the caller answers is completed without running.
  queued: ['running', 'completed', 'failed'],
  running: ['completed', 'failed'],
}

function follows(before: string, state: string): boolean {
  return nextStates[before]?.includes(state) === true
}

/** The answer of a hook comes after the last step. */
function isOverride({ type }: LoopEvent, events: readonly LoopEvent[]): boolean {
  const last = events.at(-1)
  return type.startsWith('text-') && last?.type === 'run-end' && last.result.stopReason === 'hook'
}

function isContent({ type }: LoopEvent): boolean {
  return /^(text|reasoning|tool-call|refusal|citation|file|opaque)/.test(type)
}

export const turnEvents: Check = {
  id: 'turn-events',
  sentence:
    'A turn begins with the only `turn-start`, ends with the only `turn-end`, and opens each part before it goes on or closes.',
  judge: ({ runs }) =>
    runs.flatMap((run) =>
      run.turns.flatMap(({ events, error }, index) =>
        orderFaults(events, error !== undefined).map((message) => ({
          message,
          where: `run ${run.number}, turn ${index + 1}`,
        })),
      ),
    ),
}

export const textIsFold: Check = {
  id: 'text-is-fold',
  sentence: 'The text of each step, and of the run, is the fold of the text deltas that were delivered.',
  judge: ({ runs, mode }) =>
    runs.flatMap((run) => {
      const { result } = run
      if (result === undefined) return []
      const where = `run ${run.number}`
      const texts = mode === 'stream' ? streamedTexts(run.events) : answered(run).map(({ events }) => textOf(events))
      const wrong: Failure[] = result.steps.flatMap((step, index) => {
        if (step.text === texts[index]) return []
        const message = `its text is ${JSON.stringify(step.text)}, its deltas give ${JSON.stringify(texts[index])}`
        return [{ message, where: `${where}, step ${step.number + 1}` }]
      })
      if (mode === 'stream' && texts.length !== result.steps.length)
        wrong.push({ message: `${texts.length} steps were told of, the result has ${result.steps.length}`, where })
      if (result.text === (result.steps.at(-1)?.text ?? '')) return wrong
      return [
        ...wrong,
        { message: `the text of the run is ${JSON.stringify(result.text)}, not that of its last step`, where },
      ]
    }),
}

/** A turn that failed gave no step. */
function answered({ turns }: RunRecord): readonly TurnRecord[] {
  return turns.filter(({ error }) => error === undefined)
}

function textOf(events: readonly (TurnEvent | LoopEvent)[]): string {
  return events.map((event) => (event.type === 'text-delta' ? event.text : '')).join('')
}

/** One per step; what was delivered before a `step-retry` does not count. */
function streamedTexts(events: readonly LoopEvent[]): readonly string[] {
  const texts: string[] = []
  let text = ''
  for (const event of events) {
    if (event.type === 'text-delta') text += event.text
    if (event.type === 'step-start' || event.type === 'step-retry') text = ''
    if (event.type === 'step-end') texts.push(text)
  }
  return texts
}

export const inputIsFold: Check = {
  id: 'input-is-fold',
  sentence:
    'The input of each call is what its deltas give, when it has any: an object, or a field that holds a free text.',
  judge: ({ runs }) =>
    runs.flatMap((run) =>
      run.turns.flatMap(({ events }, index) =>
        events
          .filter((event) => event.type === 'tool-call')
          .flatMap((call) => inputFailure(events, call, `run ${run.number}, turn ${index + 1}`)),
      ),
    ),
}

type CallEvent = Extract<TurnEvent, { type: 'tool-call' }>

function inputFailure(events: readonly TurnEvent[], call: CallEvent, where: string): readonly Failure[] {
  const deltas = events.filter((event) => event.type === 'tool-call-delta').filter(({ part }) => part === call.part)
  const text = deltas.map(({ inputText }) => inputText).join('')
  if (text.trim() === '' || call.invalid !== undefined) return []
  const value = parsed(text)
  if (!isObject(value) && Object.values(call.input ?? {}).includes(text)) return []
  const folded = canonicalJson(value ?? {})
  if (folded === canonicalJson(call.input)) return []
  return [{ message: `${call.toolName} has the input ${canonicalJson(call.input)}, its deltas give ${folded}`, where }]
}
