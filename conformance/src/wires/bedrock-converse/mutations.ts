import { objectOf, type JsonObject } from '@steploop/core/adapter'
import { after, replacedBy, without, wireMutations } from '../variants/wire-mutation.ts'

/** https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStream.html: exceptions come in the stream. */
export const bedrockConverseMutations = wireMutations({
  tolerated: [
    [
      'no-padding',
      'older servers do not pad payloads',
      (payload) => [
        JSON.stringify(Object.fromEntries(Object.entries(payload).map(([event, said]) => [event, unpadded(said)]))),
      ],
    ],
    ['unknown-event', 'events are added', after({ somethingNew: { contentBlockIndex: 0, delta: { text: 'Zürich' } } })],
    [
      'empty-delta',
      'pieces may be empty',
      (payload) => {
        const { contentBlockIndex, delta } = objectOf(payload['contentBlockDelta'])
        const [kind] = Object.keys(objectOf(delta))
        const empty = { text: '', toolUse: { input: '' }, reasoningContent: { text: '' } }[String(kind)]
        if (empty === undefined || kind === undefined) return undefined
        const piece = { contentBlockDelta: { contentBlockIndex, delta: { [kind]: empty } } }
        return [JSON.stringify(piece), JSON.stringify(payload)]
      },
    ],
    ['no-metrics', 'gateways leave out how long it took', without('metadata.metrics')],
    [
      'no-block-stop',
      'some recorded streams do not say that a block ends',
      (payload) => ('contentBlockStop' in payload ? [] : undefined),
    ],
  ],
  refused: [
    [
      'exception-in-between',
      'an exception ends a stream that began with 200',
      replacedBy('{"throttlingException":{"message":"Too many requests, please wait before trying again."}}'),
    ],
    [
      'model-error-in-between',
      'so does an error of the model',
      replacedBy(
        '{"modelStreamErrorException":{"message":"The model stream failed.","originalStatusCode":500,"originalMessage":"boom"}}',
      ),
    ],
  ],
})

function unpadded(said: unknown): JsonObject {
  const { p: _padding, ...rest } = objectOf(said)
  return rest
}
