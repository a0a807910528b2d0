import {
  AdapterError,
  type FinishReason,
  type ProviderMetadata,
  type TurnEvent,
  type Usage,
} from '@steploop/core/adapter'
import { withMessages } from './messages.ts'
import { brokenEnd, brokenEvent, brokenEvents, brokenRequest, brokenTurn, type Breaks } from './mutant.ts'

/** Changes the usage of finished turns. */
const changeUsage =
  (change: (usage: Usage, finishReason: FinishReason) => Usage | undefined) =>
  ({ usage, finishReason }: { readonly usage?: Usage | undefined; readonly finishReason: FinishReason }) =>
    usage && { usage: change(usage, finishReason) }

/** What an answer says, why it ended, and what it took. */
export const contentMutants: Breaks = {
  'text-flushed-twice': brokenEvents({
    bug: 'Text before a call is delivered as it comes, and once more when the call begins.',
    killer: 'text-then-call#text-stays-in-history',
    fresh: () => ({ part: 0, text: '' }),
    change: (events, said) =>
      events.flatMap((event): readonly TurnEvent[] => {
        if (event.type === 'text-delta') Object.assign(said, { part: event.part, text: said.text + event.text })
        const again = event.type === 'text-end' && said.text.includes('…')
        return again ? [{ type: 'text-delta', part: said.part, text: said.text }, event] : [event]
      }),
  }),
  'text-after-a-call-lost': brokenEvents({
    bug: 'What is said after a call is not told.',
    killer: 'max-steps-throw#words-around-a-call',
    fresh: () => ({ hasCalled: false }),
    change: (events, state) =>
      events.filter(({ type }) => {
        if (type === 'tool-call-start') state.hasCalled = true
        return !(state.hasCalled && type.startsWith('text-'))
      }),
  }),
  'letters-composed-on-arrival': brokenEvent({
    bug: 'Letters of two signs arrive as one.',
    killer: 'length-limit#text-kept',
    change: (event) => [event.type === 'text-delta' ? { ...event, text: event.text.normalize() } : event],
  }),
  'two-turn-starts': brokenEvent({
    bug: 'A turn that calls begins again with its call.',
    killer: 'single-call#turn-events',
    change: (event) => (event.type === 'tool-call-start' ? [{ type: 'turn-start' }, event] : [event]),
  }),
  'two-turn-ends': brokenEvent({
    bug: 'A turn that calls ends twice.',
    killer: 'single-call#turn-events',
    change: (event) => (event.type === 'turn-end' && event.finishReason === 'tool-calls' ? [event, event] : [event]),
  }),
  'events-after-end': brokenEvents({
    bug: 'Where a turn called, an empty text comes after its end.',
    killer: 'single-call#turn-events',
    fresh: () => undefined,
    change: (events) =>
      events.some((event) => event.type === 'turn-end' && event.finishReason === 'tool-calls')
        ? [...events, { type: 'text-delta', part: 0, text: '' }]
        : events,
  }),
  'pause-is-stop': brokenEnd({
    bug: 'A paused turn counts as a finished one.',
    killer: 'pause-turn#counters',
    change: ({ finishReason }) => (finishReason === 'pause' ? { finishReason: 'stop' } : undefined),
  }),
  'refusal-is-empty-success': brokenEnd({
    bug: 'What a filter stopped counts as an answer.',
    killer: 'content-filter#golden',
    change: ({ finishReason }) => (finishReason === 'content-filter' ? { finishReason: 'stop' } : undefined),
  }),
  'unknown-words-decide': brokenEnd({
    bug: 'The calls of an answer that ends with a word not known yet are not run.',
    killer: 'text-only#tolerate',
    change: ({ finishReason, rawFinishReason = '' }) =>
      finishReason === 'tool-calls' && !/call|tool|stop|complete/i.test(rawFinishReason)
        ? { finishReason: 'unknown' }
        : undefined,
  }),
  'calls-win-over-a-filter': brokenEvents({
    bug: 'An answer that a filter cut after a call ends as one with calls.',
    killer: 'text-only#tolerate',
    fresh: () => ({ hasCalled: false }),
    change: (events, state) =>
      events.map((event) => {
        if (event.type === 'tool-call') state.hasCalled = true
        const wins = event.type === 'turn-end' && event.finishReason === 'content-filter' && state.hasCalled
        return wins ? { ...event, finishReason: 'tool-calls' } : event
      }),
  }),
  'absent-usage-is-zero': brokenEnd({
    bug: 'Tokens that the provider does not count are 0.',
    killer: 'text-only#tolerate',
    change: ({ usage }) => ({ usage: { ...usage, inputTokens: usage?.inputTokens ?? 0 } }),
  }),
  'absent-details-are-zero': brokenEnd({
    bug: 'Of the tokens that the provider does not break down none is cached.',
    killer: 'text-only#tolerate',
    change: ({ usage }) => ({ usage: usage && { ...usage, cachedInputTokens: usage.cachedInputTokens ?? 0 } }),
  }),
  'response-id-lost': brokenEvent({
    bug: 'The id of the response is not told.',
    killer: 'text-only#tolerate',
    change: (event) =>
      event.type === 'turn-start' || event.type === 'turn-end' ? [{ ...event, responseId: undefined }] : [event],
  }),
  'texts-joined': brokenEvents({
    bug: 'All texts of a turn are told as one.',
    killer: 'text-only#tolerate',
    fresh: () => ({ first: [] as TurnEvent[], last: [] as TurnEvent[] }),
    change: (events, { first, last }) =>
      events.flatMap((event): readonly TurnEvent[] => {
        if (event.type === 'turn-end') return [...last, event]
        if (event.type !== 'text-start' && event.type !== 'text-delta' && event.type !== 'text-end') return [event]
        if (event.type === 'text-start' && first.push(event) > 1) return []
        const [begun] = first
        const moved = { ...event, part: begun?.type === 'text-start' ? begun.part : event.part }
        if (event.type === 'text-end') last.splice(0, 1, moved)
        return event.type === 'text-end' ? [] : [moved]
      }),
  }),
  'seal-of-the-first-thought': brokenEvents({
    bug: 'What the first thought of a turn came with is taken for that of all.',
    killer: 'text-only#tolerate',
    fresh: () => ({ first: undefined as ProviderMetadata | undefined }),
    change: (events, state) =>
      events.map((event) => {
        if (event.type !== 'reasoning-end') return event
        state.first ??= event.providerMetadata
        return { ...event, providerMetadata: state.first }
      }),
  }),
  'warnings-dropped': brokenEvent({
    bug: 'What an adapter had to leave out or change is not reported.',
    killer: 'image-in-result-dropped#reported-not-sent',
    change: (event) =>
      event.type === 'turn-start' || event.type === 'turn-end' ? [{ ...event, warnings: undefined }] : [event],
  }),
  'raw-reason-lost': brokenEnd({
    bug: 'The provider’s own word for the end is not kept.',
    killer: 'content-filter#raw-reason-kept',
    change: () => ({ rawFinishReason: undefined }),
  }),
  'empty-answer-throws': brokenTurn({
    bug: 'An answer without any content is an error.',
    killer: 'empty-answer#golden',
    async *turn(correct, request, context) {
      let empty = true
      for await (const batch of correct(request, context)) {
        empty &&= !batch.some((event) => 'part' in event)
        const stopped = batch.some((event) => event.type === 'turn-end' && event.finishReason === 'stop')
        if (empty && stopped)
          throw new AdapterError({ provider: '', model: '', code: 'empty-response', retryable: false })
        yield batch
      }
    },
  }),
  'pause-answered-by-user': brokenRequest({
    bug: 'A paused turn is continued with a message in the name of the user.',
    killer: 'pause-turn#sent-back-as-it-is',
    change: (request) =>
      request.messages.at(-1)?.role === 'assistant'
        ? withMessages(request, (messages) => [...messages, { role: 'user', content: 'Continue.' }])
        : request,
  }),
  'reasoning-as-text': brokenEvent({
    bug: 'Thoughts are delivered as a part of the answer.',
    killer: 'reasoning-text#thought-apart',
    change: (event) => {
      if (event.type === 'reasoning-start') return [{ ...event, type: 'text-start' }]
      if (event.type === 'reasoning-delta') return [{ ...event, type: 'text-delta' }]
      return event.type === 'reasoning-end' ? [{ ...event, type: 'text-end' }] : [event]
    },
  }),
  'reasoning-twice': brokenEvent({
    bug: 'Thoughts that come under two names are taken twice (vLLM sends both, docs/wire.md#chat-names-of-reasoning).',
    killer: 'reasoning-text#thought-apart',
    change: (event) => (event.type === 'reasoning-delta' ? [event, event] : [event]),
  }),
  'reasoning-tokens-lost': brokenEnd({
    bug: 'Tokens of thoughts are not counted.',
    killer: 'reasoning-text#reasoning-tokens',
    change: changeUsage((usage) => ({ ...usage, reasoningTokens: undefined })),
  }),
  'usage-lost-beside-calls': brokenEnd({
    bug: 'The usage of a turn that calls is lost, as it comes after the finish reason.',
    killer: 'single-call#usage-adds-up',
    change: changeUsage((usage, finishReason) => (finishReason === 'tool-calls' ? undefined : usage)),
  }),
  'input-without-cached': brokenEnd({
    bug: 'Cached tokens are counted beside the input tokens, not among them.',
    killer: 'prompt-cache#counted-once',
    change: changeUsage(({ inputTokens = 0, cachedInputTokens = 0, ...usage }) => ({
      ...usage,
      cachedInputTokens,
      inputTokens: inputTokens - cachedInputTokens,
    })),
  }),
  'cached-tokens-double': brokenEnd({
    bug: 'Cached tokens are added to the input tokens that hold them already.',
    killer: 'prompt-cache#counted-once',
    change: changeUsage((usage) => ({
      ...usage,
      inputTokens: (usage.inputTokens ?? 0) + (usage.cachedInputTokens ?? 0),
    })),
  }),
}
