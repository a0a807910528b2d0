import { objectOf, type JsonObject } from '@steploop/core/adapter'
import { after, brokenJson, replacedBy, without, type WireMutation } from '../wire-mutation.ts'

/** https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStream.html: exceptions come in the stream. */
export const bedrockConverseMutations: readonly WireMutation[] = [
  {
    id: 'no-padding',
    why: 'older servers do not pad payloads',
    verdict: 'tolerate',
    change: (payload) => [
      JSON.stringify(Object.fromEntries(Object.entries(payload).map(([event, said]) => [event, unpadded(said)]))),
    ],
  },
  {
    id: 'unknown-event',
    why: 'events are added',
    verdict: 'tolerate',
    change: after({ somethingNew: { contentBlockIndex: 0, delta: { text: 'Zürich' } } }),
  },
  {
    id: 'empty-delta',
    why: 'pieces may be empty',
    verdict: 'tolerate',
    change(payload) {
      const { contentBlockIndex, delta } = objectOf(payload['contentBlockDelta'])
      const [kind] = Object.keys(objectOf(delta))
      const empty = { text: '', toolUse: { input: '' }, reasoningContent: { text: '' } }[String(kind)]
      if (empty === undefined || kind === undefined) return undefined
      const piece = { contentBlockDelta: { contentBlockIndex, delta: { [kind]: empty } } }
      return [JSON.stringify(piece), JSON.stringify(payload)]
    },
  },
  {
    id: 'no-metrics',
    why: 'gateways leave out how long it took',
    verdict: 'tolerate',
    change: without('metadata.metrics'),
  },
  {
    id: 'no-block-stop',
    why: 'some recorded streams do not say that a block ends',
    verdict: 'tolerate',
    change: (payload) => ('contentBlockStop' in payload ? [] : undefined),
  },
  brokenJson,
  {
    id: 'exception-in-between',
    why: 'an exception ends a stream that began with 200',
    verdict: 'refuse',
    change: replacedBy('{"throttlingException":{"message":"Too many requests, please wait before trying again."}}'),
  },
  {
    id: 'model-error-in-between',
    why: 'so does an error of the model',
    verdict: 'refuse',
    change: replacedBy(
      '{"modelStreamErrorException":{"message":"The model stream failed.","originalStatusCode":500,"originalMessage":"boom"}}',
    ),
  },
]

function unpadded(said: unknown): JsonObject {
  const { p: _padding, ...rest } = objectOf(said)
  return rest
}
