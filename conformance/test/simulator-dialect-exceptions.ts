import type { EmissionException } from './simulator-emits-exceptions.ts'

const inBand = 'No error inside a 200 is recorded of this provider; it has the shape of its other errors.'

/** What the simulator emits for a provider although no recording of that provider has it. Every entry has to be needed. */
export const dialectExceptions = {
  mistral: [
    { path: 'error', reason: 'No error is recorded; other clients describe the flat shape (docs/wire.md#mistral).' },
    ...['code', 'message', 'param', 'type'].flatMap((member) => [
      { path: `json.${member}`, reason: inBand },
      { path: `stream.${member}`, reason: inBand },
    ]),
  ],
  groq: [
    { path: 'json.error', reason: inBand },
    {
      path: 'stream.error',
      reason:
        'Two failed streams are described, none is in this folder: one event with the status (docs/wire.md#error-events-of-groq, docs/wire.md#errors-inside-a-200).',
    },
    {
      path: 'stream.*usage.prompt_tokens_details',
      reason: 'Cached tokens are recorded in answers that are not streamed only.',
    },
  ],
  deepseek: [
    {
      path: 'error',
      reason:
        'No error is recorded; the API reference and docs/wire.md#error-bodies give it the shape of the errors of OpenAI.',
    },
    { path: 'json.error', reason: inBand },
    { path: 'stream.error', reason: inBand },
  ],
  xai: [
    { path: 'error', reason: 'No error is recorded; the guide to debugging documents a code and a text.' },
    { path: '*.citations', reason: 'No search is recorded; the guide to live search documents the list of addresses.' },
    ...['json', 'stream'].flatMap((root) => [
      { path: `${root}.code`, reason: inBand },
      { path: `${root}.error`, reason: inBand },
    ]),
  ],
  openrouter: [
    {
      path: 'error',
      reason:
        'Only errors inside a 200 are recorded here; docs/wire.md#error-bodies describes the body of the statuses.',
    },
    { path: 'json.error', reason: 'Recorded in streams only; the guide to errors documents the body.' },
    {
      path: 'json.choices[].message.annotations[]<url_citation>',
      reason: 'Sources are recorded in streams only; the guide to web search documents the same object.',
    },
    { path: 'json.user_id', reason: 'Beside the error (docs/wire.md#error-bodies).' },
    {
      path: 'json.choices[].error',
      reason: 'The third place of errors (docs/wire.md#openrouter), documented in the schema of the choice.',
    },
    { path: 'stream.error.metadata', reason: 'The one recorded error of a stream is the own of the gateway.' },
    { path: '*.refusal', reason: 'Recorded as null; the API reference documents a text or null.' },
    {
      path: 'stream.choices[].delta.tool_calls',
      reason: 'Calls are recorded in answers that are not streamed only; the API reference gives the deltas of OpenAI.',
    },
  ],
} satisfies Readonly<Record<string, readonly EmissionException[]>>
