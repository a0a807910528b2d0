import type { Adapter, TurnEvent } from '@steploop/core/adapter'
import type { Subject, SubjectAdapterOptions } from '../subject.ts'
import { brokenAdapter, brokenFetch, brokenTurn, withTurn, type Break, type Breaks, type Bug } from './mutant.ts'

/** Drops an option of the factory. */
function withoutOption(bug: Bug & { readonly option: keyof SubjectAdapterOptions }): Break {
  const { option, ...facts } = bug
  return {
    ...facts,
    apply: (subject: Subject) => ({
      ...subject,
      adapter: (options) => subject.adapter({ ...options, [option]: undefined }),
    }),
  }
}

/** What an instance owes to whoever made it, and to all turns that it serves. */
export const instanceMutants: Breaks = {
  'base-url-ignored': withoutOption({
    bug: 'The base URL that the factory is given counts for nothing.',
    killer: 'text-only#instance',
    option: 'baseURL',
  }),
  'factory-headers-ignored': withoutOption({
    bug: 'Headers that the factory is given are not sent.',
    killer: 'text-only#instance',
    option: 'headers',
  }),
  'options-of-the-latest': {
    bug: 'What the latest instance was made with counts for all.',
    killer: 'text-only#instance',
    apply(subject) {
      let latest: Adapter | undefined
      return {
        ...subject,
        adapter(options) {
          const adapter = (latest = subject.adapter(options))
          return withTurn(adapter, (...asked) => (latest ?? adapter).turn(...asked))
        },
      }
    },
  },
  'key-of-the-first': {
    bug: 'The key that the first instance was made with is sent by all.',
    killer: 'text-only#instance',
    apply(subject) {
      let kept: string | undefined
      return { ...subject, adapter: (options) => subject.adapter({ ...options, apiKey: (kept ??= options.apiKey) }) }
    },
  },
  'signal-kept-from-fetch': brokenFetch({
    bug: 'The `fetch` that the factory is given is not told that a turn is aborted.',
    killer: 'text-only#instance',
    wrap: (correct) => (input, init) => correct(input, { ...init, signal: null }),
  }),
  'told-at-the-end': brokenTurn({
    bug: 'A stream is told when all of it is there.',
    killer: 'text-only#instance',
    async *turn(correct, request, context) {
      const events: TurnEvent[] = []
      for await (const batch of correct(request, context)) events.push(...batch)
      yield events
    },
  }),
  'latest-turn-only': brokenAdapter({
    bug: 'An instance reads on in the turn that began last, whichever is asked for more.',
    killer: 'text-only#instance',
    wrap(adapter: Adapter) {
      let latest: AsyncIterator<readonly TurnEvent[]>
      return withTurn(adapter, async function* (request, context) {
        latest = adapter.turn(request, context)[Symbol.asyncIterator]()
        for (;;) {
          const step = await latest.next()
          if (step.done === true) return
          yield step.value
        }
      })
    },
  }),
}
