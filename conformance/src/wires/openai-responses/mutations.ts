import { objectOf, textOf } from '@steploop/core/adapter'
import { after, replacedBy, without, wireMutations } from '../variants/wire-mutation.ts'

const withoutStatus = without('item.status')
const withoutContentIndex = without('content_index')

/** What servers beside OpenAI's leave out, and what newer ones add (docs/wire.md#openai-responses, docs/wire.md#no-event-lines). */
export const openaiResponsesMutations = wireMutations({
  tolerated: [
    ['no-sequence', 'other servers do not count', without('sequence_number')],
    ['no-obfuscation', 'padding that can be turned off', without('obfuscation')],
    ['no-item-id', 'the index alone says which item a delta belongs to', without('item_id')],
    [
      'no-content-index',
      'only parts after the first need one',
      (payload) => (payload['content_index'] === 0 ? withoutContentIndex(payload) : undefined),
    ],
    [
      'empty-delta',
      'a delta may say nothing',
      (payload) =>
        payload['type'] === 'response.output_text.delta'
          ? [
              JSON.stringify({ ...payload, delta: '' }),
              JSON.stringify({ ...payload, delta: null }),
              JSON.stringify(payload),
            ]
          : undefined,
    ],
    [
      'no-item-status',
      'other servers leave it out',
      // Only `incomplete` says something: that the item was cut off.
      (payload) => (textOf(objectOf(payload['item'])['status']) === 'incomplete' ? undefined : withoutStatus(payload)),
    ],
    ['no-metadata', 'other servers leave it out', without('response.metadata')],
    [
      'unknown-event',
      'new types of events come without notice',
      after({ type: 'response.unheard_of.delta', delta: 'Zürich', output_index: 0 }),
    ],
    [
      'keep-alive',
      'servers keep a connection open with events of their own',
      after({ type: 'keepalive', sequence_number: 0 }),
    ],
  ],
  refused: [
    [
      'error-in-between',
      'an `error` event ends a stream that began with 200 (docs/wire.md#errors-inside-a-200)',
      replacedBy('{"type":"error","code":"server_error","message":"The server had an error","param":null}'),
    ],
  ],
})
