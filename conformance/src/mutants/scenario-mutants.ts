import {
  AdapterError,
  type AssistantPart,
  type FinishReason,
  type Message,
  type ToolChoice,
  type TurnEvent,
} from '@steploop/core'
import { brokenAdapter, brokenEvents, brokenRequest, brokenTurn, type Mutant } from './mutant.ts'

const renamed = (id: string, bug: string, from: FinishReason): Mutant =>
  brokenEvents(
    id,
    bug,
    () => undefined,
    (events) =>
      events.map((event): TurnEvent =>
        event.type === 'turn-end' && event.finishReason === from ? { ...event, finishReason: 'stop' } : event,
      ),
  )

/** Bugs that only scenarios about one matter can see. */
export const scenarioMutants: readonly Mutant[] = [
  renamed('pause-is-stop', 'A paused turn counts as a finished one.', 'pause'),
  renamed('refusal-is-empty-success', 'What a filter stopped counts as an answer.', 'content-filter'),
  brokenAdapter('forced-choice-forever', 'A choice that was forced once is forced in every turn.', (adapter) => {
    let forced: ToolChoice | undefined
    return {
      provider: adapter.provider,
      model: adapter.model,
      capabilities: adapter.capabilities,
      turn(request, context) {
        forced ??= request.toolChoice
        return adapter.turn({ ...request, toolChoice: forced }, context)
      },
    }
  }),
  brokenTurn('retry-after-ignored', 'The pause that a provider asks for is lost.', async function* (correct, ...asked) {
    try {
      yield* correct(...asked)
    } catch (cause) {
      if (!AdapterError.isInstance(cause)) throw cause
      const { provider, model, code, status, retryable, providerMessage } = cause
      throw new AdapterError({ provider, model, code, status, retryable, providerMessage, cause })
    }
  }),
  brokenEvents(
    'run-truncated-call',
    'A call that was cut off counts as a whole one.',
    () => undefined,
    (events) =>
      events.map((event) => (event.type === 'tool-call' ? { ...event, input: {}, invalid: undefined } : event)),
  ),
  brokenEvents(
    'usage-without-input',
    'Input tokens are not counted.',
    () => undefined,
    (events) =>
      events.map((event) =>
        event.type === 'turn-end' && event.usage ? { ...event, usage: { ...event.usage, inputTokens: 0 } } : event,
      ),
  ),
  brokenRequest('drop-signature', 'What the provider signed does not go back to it.', (request) => ({
    ...request,
    messages: request.messages.map((message): Message => {
      if (message.role !== 'assistant') return message
      return {
        ...message,
        content: message.content.map((part): AssistantPart =>
          part.type === 'opaque' ? part : { ...part, wire: undefined },
        ),
      }
    }),
  })),
  brokenRequest('schema-dropped', 'The schema of the answer does not reach the model.', (request) => ({
    ...request,
    responseFormat: undefined,
  })),
]
