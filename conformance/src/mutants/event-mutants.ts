import { AdapterError, type ToolCallPart, type TurnEvent } from '@steploop/core'
import { brokenAdapter, brokenEvents, brokenTurn, type Mutant } from './mutant.ts'

const isCall = ({ type }: TurnEvent): boolean => type.startsWith('tool-call')

export const eventMutants: readonly Mutant[] = [
  brokenEvents(
    'lose-second-call',
    'The second call of a turn is lost.',
    () => new Set<number>(),
    (events, parts) =>
      events.filter((event) => {
        if (event.type === 'tool-call-start') parts.add(event.part)
        return !isCall(event) || !('part' in event) || [...parts].indexOf(event.part) < 1
      }),
  ),
  brokenEvents(
    'two-terminal-events',
    'A turn ends twice.',
    () => undefined,
    (events) => events.flatMap((event): readonly TurnEvent[] => (event.type === 'turn-end' ? [event, event] : [event])),
  ),
  brokenEvents(
    'calls-only-if-finish-tool-calls',
    'Calls count only if the finish reason is `tool_calls`.',
    () => [] as TurnEvent[],
    (events, held) =>
      events.flatMap((event) => {
        if (isCall(event)) {
          held.push(event)
          return []
        }
        if (event.type !== 'turn-end') return [event]
        return event.rawFinishReason === 'tool_calls' ? [...held, event] : [{ ...event, finishReason: 'stop' }]
      }),
  ),
  brokenEvents(
    'usage-added-not-last',
    'Usage is counted twice as high.',
    () => undefined,
    (events) =>
      events.map((event) =>
        event.type === 'turn-end' && event.usage
          ? { ...event, usage: { ...event.usage, inputTokens: 0, cachedInputTokens: 5 } }
          : event,
      ),
  ),
  brokenEvents(
    'usage-lost',
    'The usage of a turn is lost.',
    () => undefined,
    (events) => events.map((event) => (event.type === 'turn-end' ? { ...event, usage: undefined } : event)),
  ),
  brokenEvents(
    'delta-repeated',
    'Some text deltas are delivered twice.',
    () => undefined,
    (events) =>
      events.flatMap((event): readonly TurnEvent[] => (event.type === 'text-delta' ? [event, event] : [event])),
  ),
  brokenEvents(
    'double-encoded-arguments',
    'Arguments stay a text in a text.',
    () => undefined,
    (events) =>
      events.map((event) =>
        event.type === 'tool-call'
          ? { ...event, input: { arguments: event.inputText } satisfies ToolCallPart['input'] }
          : event,
      ),
  ),
  brokenEvents(
    'array-position-index',
    'Arguments of parallel calls all go to the first call.',
    () => ({ inputs: [] as unknown[] }),
    (events, { inputs }) =>
      events.map((event) => {
        if (event.type !== 'tool-call') return event
        inputs.push(event.input)
        return { ...event, input: inputs[0] }
      }),
  ),
  brokenEvents(
    'events-after-end',
    'Events come after the end of the turn.',
    () => undefined,
    (events) =>
      events.some(({ type }) => type === 'turn-end')
        ? [...events, { type: 'text-delta', part: 0, text: 'zu spät 🕰️' }]
        : events,
  ),
  brokenTurn(
    'complete-on-eof',
    'A stream that ends counts as a finished turn.',
    async function* (correct, request, context) {
      const open = new Map<number, TurnEvent>()
      try {
        for await (const batch of correct(request, context)) {
          for (const event of batch) {
            if (event.type === 'text-start') open.set(event.part, { type: 'text-end', part: event.part })
            if (event.type === 'text-end') open.delete(event.part)
          }
          yield batch
        }
      } catch (error) {
        if (!AdapterError.isInstance(error) || error.code !== 'incomplete-stream') throw error
        yield [...open.values(), { type: 'turn-end', finishReason: 'stop' }]
      }
    },
  ),
  brokenAdapter('key-in-error-message', 'The key is part of the message of an error.', (adapter, apiKey) => ({
    provider: adapter.provider,
    model: adapter.model,
    capabilities: adapter.capabilities,
    async *turn(request, context) {
      try {
        yield* adapter.turn(request, context)
      } catch (cause) {
        if (!AdapterError.isInstance(cause)) throw cause
        const { provider, model, code, status, retryable } = cause
        throw new AdapterError({
          provider,
          model,
          code,
          status,
          retryable,
          providerMessage: `refused: ${apiKey}`,
          cause,
        })
      }
    },
  })),
  brokenTurn('retry-4xx', 'A refused request is sent again.', async function* (correct, request, context) {
    try {
      yield* correct(request, context)
    } catch {
      yield* correct(request, context)
    }
  }),
  brokenTurn(
    'plain-errors',
    'Failures are thrown as plain errors without a code.',
    async function* (correct, request, context) {
      try {
        yield* correct(request, context)
      } catch (error) {
        throw new Error(String(error), { cause: error })
      }
    },
  ),
]
