import { takenForOwn } from './messages.ts'
import { brokenEvent, brokenRequest, type Breaks } from './mutant.ts'

/** What was another's: histories of other providers, calls that the provider ran, a key that stands elsewhere. */
export const foreignMutants: Breaks = {
  'payloads-of-others-sent': brokenRequest({
    bug: 'Opaque payloads of any provider are taken for own ones.',
    killer: 'foreign-history#nothing-opaque-of-others',
    change: takenForOwn,
  }),
  'losses-unreported': brokenEvent({
    bug: 'What is left out of a history is left out without a warning.',
    killer: 'foreign-history#losses-reported',
    change: (event) =>
      event.type === 'turn-start'
        ? [{ ...event, warnings: event.warnings?.filter(({ path }) => !/^(?:messages|assistant)/.test(path)) }]
        : [event],
  }),
  'provider-calls-without-input': brokenEvent({
    bug: 'Nobody learns what a tool of the provider was asked.',
    killer: 'provider-tool#calls-reported-whole',
    change: (event) =>
      event.type === 'tool-call' && event.owner === 'provider' ? [{ ...event, input: {}, inputText: '{}' }] : [event],
  }),
  'variable-not-read': {
    bug: 'A key that is not given is not looked for.',
    killer: 'key-variable#key-sent',
    apply: (subject) => ({
      ...subject,
      adapter: (options) => subject.adapter({ ...options, apiKey: options.apiKey ?? 'none' }),
    }),
  },
}
