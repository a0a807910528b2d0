import { AdapterError, isObject, type AdapterErrorOptions, type TurnEvent } from '@steploop/core/adapter'
import { parsed } from '../json.ts'
import { brokenAdapter, brokenFetch, brokenTurn, withTurn, type Break, type Breaks, type Bug } from './mutant.ts'
import { closed } from './unfinished-json.ts'

/** Changes the errors of turns; gives nothing to keep one. */
function brokenErrors(
  bug: Bug & {
    readonly change: (
      error: AdapterError,
      apiKey: string | undefined,
    ) => Partial<AdapterErrorOptions> | Error | undefined
  },
): Break {
  const { change, ...facts } = bug
  return brokenAdapter({
    ...facts,
    wrap: (adapter, apiKey) =>
      withTurn(adapter, async function* (request, context) {
        try {
          yield* adapter.turn(request, context)
        } catch (cause) {
          const changed = AdapterError.isInstance(cause) ? change(cause, apiKey) : undefined
          if (changed === undefined || !AdapterError.isInstance(cause)) throw cause
          throw changed instanceof Error ? changed : new AdapterError({ ...factsOf(cause), ...changed, cause })
        }
      }),
  })
}

function factsOf(error: AdapterError): AdapterErrorOptions {
  const { provider, model, code, status, retryable, retryAfterMs, requestId, providerMessage, excerpt } = error
  return { provider, model, code, status, retryable, retryAfterMs, requestId, providerMessage, excerpt }
}

/** Ends a turn that failed as if it were finished, where `when` says so. */
function taken(
  bug: Bug & {
    readonly when: (error: AdapterError, delivered: readonly TurnEvent[]) => boolean
    /** Closes the brackets of a call that was being written. Default: it stays what it is. */
    readonly repairs?: boolean | undefined
  },
): Break {
  const { when, repairs = false, ...facts } = bug
  return brokenTurn({
    ...facts,
    async *turn(correct, request, context) {
      const delivered: TurnEvent[] = []
      try {
        for await (const batch of correct(request, context)) {
          delivered.push(...batch)
          yield repairs ? batch.map((event) => repaired(event)) : batch
        }
      } catch (error) {
        if (!AdapterError.isInstance(error) || !when(error, delivered)) throw error
        const start: readonly TurnEvent[] = delivered.length === 0 ? [{ type: 'turn-start' }] : []
        yield [...start, ...closings(delivered, repairs), { type: 'turn-end', finishReason: 'stop' }]
      }
    },
  })
}

function closings(delivered: readonly TurnEvent[], repairs: boolean): readonly TurnEvent[] {
  const open = new Map<number, TurnEvent>()
  for (const event of delivered) {
    if (event.type === 'text-start') open.set(event.part, { type: 'text-end', part: event.part })
    if (event.type === 'reasoning-start') open.set(event.part, { type: 'reasoning-end', part: event.part })
    if (event.type === 'tool-call-start' && repairs) {
      const inputText = textOf(delivered, event.part)
      open.set(event.part, { ...event, type: 'tool-call', inputText, input: undefined, invalid: 'truncated' })
    }
    if (event.type === 'text-end' || event.type === 'reasoning-end' || event.type === 'tool-call')
      open.delete(event.part)
  }
  return [...open.values()].map((event) => repaired(event))
}

function repaired(event: TurnEvent): TurnEvent {
  if (event.type !== 'tool-call' || event.invalid !== 'truncated') return event
  const input = parsed(closed(event.inputText))
  return { ...event, input: isObject(input) ? input : {}, invalid: undefined }
}

function textOf(delivered: readonly TurnEvent[], part: number): string {
  const deltas = delivered.map((event) =>
    event.type === 'tool-call-delta' && event.part === part ? event.inputText : '',
  )
  return deltas.join('')
}

function hasContent(events: readonly TurnEvent[]): boolean {
  return events.some((event) => 'part' in event)
}

/** What becomes of turns that fail. */
export const errorMutants: Breaks = {
  'complete-on-eof': taken({
    bug: 'A stream that ends counts as a finished turn.',
    killer: 'cut-stream#golden',
    when: ({ code }) => code === 'incomplete-stream',
  }),
  'unfinished-call-handed-over': taken({
    bug: 'A stream that ends counts as a finished turn, and the call that was being written as a whole one.',
    killer: 'cut-stream#no-tool-runs',
    when: ({ code }) => code === 'incomplete-stream',
    repairs: true,
  }),
  'ignore-error-in-200': taken({
    bug: 'An error inside of a body with status 200 counts as an empty answer.',
    killer: 'error-in-200#typed',
    when: ({ code, status }, delivered) =>
      !hasContent(delivered) && (status === undefined || status === 200) && code === 'server-error',
  }),
  'swallow-mid-stream-error': taken({
    bug: 'An error after the first words ends the answer there.',
    killer: 'error-mid-stream#typed',
    when: ({ code }, delivered) => hasContent(delivered) && code === 'server-error',
  }),
  'dates-to-wait-for-unread': brokenFetch({
    bug: 'A `retry-after` that is a date counts for nothing.',
    killer: 'rate-limited#errors',
    wrap: (correct) => async (input, init) => {
      const response = await correct(input, init)
      const isDate = response.headers.get('retry-after')?.endsWith('GMT') === true
      return isDate ? new Response(response.body, { status: response.status }) : response
    },
  }),
  'delay-of-a-gateway-unread': brokenFetch({
    bug: 'What a gateway says of the time to wait counts for nothing: it is looked for in bodies of the provider alone.',
    killer: 'text-only#errors',
    wrap: (correct) => async (input, init) => {
      const response = await correct(input, init)
      const isPage = response.headers.get('content-type')?.startsWith('text/html') === true
      return isPage ? new Response(response.body, { status: response.status }) : response
    },
  }),
  'key-in-error-message': brokenErrors({
    bug: 'The key is part of the message of an error.',
    killer: 'bad-key#no-secrets',
    change: (_error, apiKey) => ({ providerMessage: `refused: ${apiKey}` }),
  }),
  'key-disguised-in-error-message': brokenErrors({
    bug: 'The key is part of the message of an error, as base64.',
    killer: 'bad-key#no-secrets',
    change: (_error, apiKey = '') => ({ providerMessage: `refused: Basic ${btoa(`key:${apiKey}`)}` }),
  }),
  'whole-page-in-message': brokenErrors({
    bug: 'What could not be read stands in the message as a whole.',
    killer: 'html-error-page#brief-excerpt',
    change: ({ excerpt }) => (excerpt === undefined ? undefined : { message: `unreadable: ${excerpt.repeat(20)}` }),
  }),
  'errors-by-status': brokenErrors({
    bug: 'What a provider calls an error is not read: every 400 is a bad request.',
    killer: 'text-only#errors',
    change: ({ code, status }) => (status === 400 && code !== 'authentication' ? { code: 'bad-request' } : undefined),
  }),
  'plain-errors': brokenErrors({
    bug: 'Failures are thrown as plain errors without a code.',
    killer: 'bad-key#typed-with-provider-message',
    change: (error) => new Error(error.message, { cause: error }),
  }),
  'error-message-lost': brokenErrors({
    bug: 'What the provider said about a failure is not kept.',
    killer: 'bad-request#typed',
    change: () => ({ providerMessage: undefined }),
  }),
  'every-failure-retryable': brokenErrors({
    bug: 'Every failure is worth another attempt.',
    killer: 'forbidden#not-retried',
    change: () => ({ retryable: true }),
  }),
  'no-failure-retryable': brokenErrors({
    bug: 'No failure is worth another attempt.',
    killer: 'overloaded#counters',
    change: () => ({ retryable: false }),
  }),
  'retry-after-ignored': brokenErrors({
    bug: 'The pause that a provider asks for is lost.',
    killer: 'rate-limited#waits',
    change: () => ({ retryAfterMs: undefined }),
  }),
  'retry-4xx': brokenTurn({
    bug: 'A request that was refused is sent again by the adapter itself.',
    killer: 'bad-key#not-retried',
    async *turn(correct, request, context) {
      try {
        yield* correct(request, context)
      } catch {
        yield* correct(request, context)
      }
    },
  }),
  'asks-again-after-abort': brokenTurn({
    bug: 'A turn that the caller aborts is asked for once more.',
    killer: 'abort-mid-stream#nothing-more',
    async *turn(correct, request, context) {
      const again = (): void => {
        const pulled = correct(request, { mode: context.mode })[Symbol.asyncIterator]().next()
        pulled.catch(() => undefined)
      }
      context.signal?.addEventListener('abort', again)
      try {
        yield* correct(request, context)
      } finally {
        if (context.signal?.aborted !== true) context.signal?.removeEventListener('abort', again)
      }
    },
  }),
  'floating-rejection': brokenTurn({
    bug: 'A failure is also thrown in a promise that nobody waits for.',
    killer: 'bad-key#no-unhandled-rejections',
    async *turn(correct, request, context) {
      try {
        yield* correct(request, context)
      } catch (error) {
        void Promise.reject(new Error('nobody listens', { cause: error }))
        throw error
      }
    },
  }),
}
