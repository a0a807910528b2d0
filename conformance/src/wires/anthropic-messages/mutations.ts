import { objectOf } from '@steploop/core/adapter'
import { after, brokenJson, replacedBy, without, type WireMutation } from '../wire-mutation.ts'

/** https://docs.anthropic.com/en/docs/build-with-claude/streaming: pings and new events come anywhere; errors come in the stream. */
export const anthropicMessagesMutations: readonly WireMutation[] = [
  { id: 'ping', why: 'pings come anywhere', verdict: 'tolerate', change: after({ type: 'ping' }) },
  {
    id: 'unknown-event',
    why: 'new types of events may be added',
    verdict: 'tolerate',
    change: after({ type: 'unheard_of', index: 0, text: 'Zürich' }),
  },
  {
    id: 'empty-delta',
    why: 'deltas may be empty',
    verdict: 'tolerate',
    change(payload) {
      if (payload['type'] !== 'content_block_delta') return undefined
      const { type } = objectOf(payload['delta'])
      const empty = { text_delta: { type, text: '' }, input_json_delta: { type, partial_json: '' } }[String(type)]
      return empty === undefined ? undefined : [JSON.stringify({ ...payload, delta: empty }), JSON.stringify(payload)]
    },
  },
  {
    id: 'no-stop-sequence',
    why: 'gateways leave out what is null',
    verdict: 'tolerate',
    change: without('delta.stop_sequence'),
  },
  { id: 'no-caller', why: 'older servers have none', verdict: 'tolerate', change: without('content_block.caller') },
  {
    id: 'no-cache-counts',
    why: 'gateways leave out counts that are 0',
    verdict: 'tolerate',
    change: without('message.usage.cache_creation'),
  },
  brokenJson,
  {
    id: 'error-in-between',
    why: 'an `error` event ends a stream that began with 200',
    verdict: 'refuse',
    change: replacedBy('{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}'),
  },
]
