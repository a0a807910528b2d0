import { objectOf, textOf } from '@steploop/core/adapter'
import { after, brokenJson, replacedBy, without, type WireMutation } from '../wire-mutation.ts'

const withoutStatus = without('item.status')

/** What servers beside OpenAI's leave out, and what newer ones add (docs/wire.md#openai-responses, docs/wire.md#no-event-lines). */
export const openaiResponsesMutations: readonly WireMutation[] = [
  { id: 'no-sequence', why: 'other servers do not count', verdict: 'tolerate', change: without('sequence_number') },
  { id: 'no-obfuscation', why: 'padding that can be turned off', verdict: 'tolerate', change: without('obfuscation') },
  {
    id: 'no-item-id',
    why: 'the index alone says which item a delta belongs to',
    verdict: 'tolerate',
    change: without('item_id'),
  },
  {
    id: 'no-content-index',
    why: 'a message of one part needs none',
    verdict: 'tolerate',
    change: without('content_index'),
  },
  {
    id: 'empty-delta',
    why: 'a delta may say nothing',
    verdict: 'tolerate',
    change: (payload) =>
      payload['type'] === 'response.output_text.delta'
        ? [
            JSON.stringify({ ...payload, delta: '' }),
            JSON.stringify({ ...payload, delta: null }),
            JSON.stringify(payload),
          ]
        : undefined,
  },
  {
    id: 'no-item-status',
    why: 'other servers leave it out',
    verdict: 'tolerate',
    // Only `incomplete` says something: that the item was cut off.
    change: (payload) =>
      textOf(objectOf(payload['item'])['status']) === 'incomplete' ? undefined : withoutStatus(payload),
  },
  { id: 'no-metadata', why: 'other servers leave it out', verdict: 'tolerate', change: without('response.metadata') },
  {
    id: 'unknown-event',
    why: 'new types of events come without notice',
    verdict: 'tolerate',
    change: after({ type: 'response.unheard_of.delta', delta: 'Zürich', output_index: 0 }),
  },
  {
    id: 'keep-alive',
    why: 'servers keep a connection open with events of their own',
    verdict: 'tolerate',
    change: after({ type: 'keepalive', sequence_number: 0 }),
  },
  brokenJson,
  {
    id: 'error-in-between',
    why: 'an `error` event ends a stream that began with 200 (docs/wire.md#errors-inside-a-200)',
    verdict: 'refuse',
    change: replacedBy('{"type":"error","code":"server_error","message":"The server had an error","param":null}'),
  },
]
