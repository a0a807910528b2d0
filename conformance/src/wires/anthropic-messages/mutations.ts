import { objectOf } from '@steploop/core/adapter'
import { after, replacedBy, without, wireMutations } from '../variants/wire-mutation.ts'

/** https://docs.anthropic.com/en/docs/build-with-claude/streaming: pings and new events come anywhere; errors come in the stream. */
export const anthropicMessagesMutations = wireMutations({
  tolerated: [
    ['ping', 'pings come anywhere', after({ type: 'ping' })],
    ['unknown-event', 'new types of events may be added', after({ type: 'unheard_of', index: 0, text: 'Zürich' })],
    [
      'empty-delta',
      'deltas may be empty',
      (payload) => {
        if (payload['type'] !== 'content_block_delta') return undefined
        const { type } = objectOf(payload['delta'])
        const empty = { text_delta: { type, text: '' }, input_json_delta: { type, partial_json: '' } }[String(type)]
        return empty === undefined ? undefined : [JSON.stringify({ ...payload, delta: empty }), JSON.stringify(payload)]
      },
    ],
    ['no-stop-sequence', 'gateways leave out what is null', without('delta.stop_sequence')],
    ['no-caller', 'older servers have none', without('content_block.caller')],
    ['no-cache-counts', 'gateways leave out counts that are 0', without('message.usage.cache_creation')],
  ],
  refused: [
    [
      'error-in-between',
      'an `error` event ends a stream that began with 200',
      replacedBy('{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}'),
    ],
  ],
})
