import type { ToolCallPart, TurnEvent } from '@steploop/core/adapter'
import { isObject } from '@steploop/core/adapter'
import { parsed } from '../json.ts'
import { brokenEvent, brokenEvents, type Breaks } from './mutant.ts'
import { closed } from './unfinished-json.ts'

type CallEvent = Extract<TurnEvent, { type: 'tool-call' }>

const isCall = ({ type }: TurnEvent): boolean => type.startsWith('tool-call')

/** Changes finished calls only. */
const changeCall =
  (change: (call: CallEvent) => Partial<ToolCallPart>) =>
  (event: TurnEvent): readonly TurnEvent[] =>
    event.type === 'tool-call' ? [{ ...event, ...change(event) }] : [event]

/** The word that a provider has for a turn that calls. */
const saysCalls = /tool[_-]?(calls|use)/i

/** How calls are put together, and what is taken for one. */
export const callMutants: Breaks = {
  'array-position-index': brokenEvents({
    bug: 'Fragments of parallel calls are kept by their position in the list, which is always the first: one call gets the arguments of all.',
    killer: 'parallel-same-tool#triples',
    fresh: () => ({ calls: [] as CallEvent[], first: -1 }),
    change: (events, state) =>
      events.flatMap((event): readonly TurnEvent[] => {
        if (event.type === 'tool-call-start' && state.first === -1) state.first = event.part
        if (event.type === 'tool-call-delta') return [{ ...event, part: state.first }]
        if (event.type === 'tool-call') {
          state.calls.push(event)
          return []
        }
        return event.type === 'turn-end' ? [...joined(state.calls), event] : [event]
      }),
  }),
  'lose-second-call': brokenEvents({
    bug: 'Only the first call of a turn is seen.',
    killer: 'parallel-calls#triples',
    fresh: () => new Set<number>(),
    change: (events, parts) =>
      events.filter((event) => {
        if (event.type === 'tool-call-start') parts.add(event.part)
        return !isCall(event) || !('part' in event) || [...parts].indexOf(event.part) < 1
      }),
  }),
  'calls-only-if-finish-tool-calls': brokenEvents({
    bug: 'Calls count only where the finish reason speaks of them; some providers say `stop`.',
    killer: 'single-call#golden',
    fresh: () => [] as TurnEvent[],
    change: (events, held) =>
      events.flatMap((event): readonly TurnEvent[] => {
        if (isCall(event)) {
          held.push(event)
          return []
        }
        if (event.type !== 'turn-end') return [event]
        return saysCalls.test(event.rawFinishReason ?? '') ? [...held, event] : [{ ...event, finishReason: 'stop' }]
      }),
  }),
  'last-delta-lost': brokenEvents({
    bug: 'The last piece of the arguments is not delivered, though the call has it.',
    killer: 'nested-arguments#input-is-fold',
    fresh: () => new Map<number, TurnEvent>(),
    change: (events, held) =>
      events.flatMap((event): readonly TurnEvent[] => {
        if (event.type === 'tool-call') held.delete(event.part)
        if (event.type !== 'tool-call-delta') return [event]
        const before = held.get(event.part)
        held.set(event.part, event)
        return before === undefined ? [] : [before]
      }),
  }),
  'run-truncated-call': brokenEvents({
    bug: 'A call that was cut off counts as a whole one without arguments, and its turn as one that calls.',
    killer: 'truncated-call#counters',
    fresh: () => ({ isCut: false }),
    change: (events, turn) =>
      events.map((event) => {
        if (event.type === 'tool-call' && event.invalid === 'truncated') {
          turn.isCut = true
          return { ...event, input: {}, invalid: undefined }
        }
        return event.type === 'turn-end' && turn.isCut ? { ...event, finishReason: 'tool-calls' } : event
      }),
  }),
  'repaired-arguments': brokenEvent({
    bug: 'Arguments that were cut off are closed with quotes and brackets, and run.',
    // Core marks the last call of such a turn itself, so that it does not run.
    killer: 'truncated-call#input-is-fold',
    change: changeCall(({ invalid, inputText }) => {
      const input = parsed(closed(inputText))
      return invalid === 'truncated' && isObject(input) ? { input, invalid: undefined } : {}
    }),
  }),
  'unparsable-as-empty': brokenEvent({
    bug: 'Arguments that are no JSON count as none.',
    killer: 'unparsable-arguments#shows-what-came',
    change: changeCall(({ invalid }) => (invalid === 'unparsable' ? { input: {}, invalid: undefined } : {})),
  }),
  'nested-arguments-as-text': brokenEvent({
    bug: 'Objects and lists inside of the arguments stay texts of JSON.',
    killer: 'nested-arguments#tool-gets-all',
    change: changeCall(({ input }) => (isObject(input) ? { input: withTexts(input) } : {})),
  }),
  'no-arguments-is-null': brokenEvent({
    bug: 'A call without arguments has `null` as its input.',
    killer: 'no-arguments#empty-object-for-tool',
    change: changeCall(({ input, invalid }) => {
      const none = invalid === undefined && isObject(input) && Object.keys(input).length === 0
      return none ? { input: null } : {}
    }),
  }),
  'unknown-ids': brokenEvent({
    bug: 'The ids of the provider are not kept: every call has the same one.',
    killer: 'parallel-same-tool#as-recorded',
    change: (event) => {
      if (!('toolCallId' in event) || event.type === 'tool-result') return [event]
      return [{ ...event, toolCallId: 'unknown', ...(event.type === 'tool-call' && { providerMetadata: undefined }) }]
    },
  }),
  'nearest-tool-name': brokenEvent({
    bug: 'A name that is not known is taken for the one that is most like it.',
    killer: 'unknown-tool#nothing-runs-for-it',
    change: (event) =>
      'toolName' in event && event.toolName === 'get_wether' ? [{ ...event, toolName: 'get_weather' }] : [event],
  }),
  'run-provider-tool': brokenEvent({
    bug: 'A call that the provider ran itself is handed to the caller.',
    killer: 'provider-tool#golden',
    change: (event) => ('owner' in event ? [{ ...event, owner: 'client' }] : [event]),
  }),
}

function withTexts(input: object): object {
  const members = Object.entries(input).map(([name, member]: [string, unknown]) => {
    return [name, typeof member === 'object' ? JSON.stringify(member) : member]
  })
  return Object.fromEntries(members) as object
}

/** All arguments in the first call; the others are left without. */
function joined(calls: readonly CallEvent[]): readonly CallEvent[] {
  const inputText = calls.map((call) => call.inputText).join('')
  const input = parsed(inputText)
  return calls.map((call, index) => {
    if (calls.length === 1) return call
    if (index > 0) return { ...call, input: {}, inputText: '' }
    return { ...call, inputText, input, ...(input === undefined && { invalid: 'unparsable' }) }
  })
}
