import { awsErrors } from '../../simulate/aws-errors.ts'
import { awsEndpoint, exceptionMessage, refused } from '../../simulate/aws-endpoint.ts'
import { eventMessage } from '../../simulate/event-message.ts'
import { obfuscation } from '../../simulate/pieces.ts'
import type { SimulatedDialect } from '../../simulate/wire-simulation.ts'
import { answerEvents, openEvents, type Event } from './answer-stream.ts'
import { checkEnvelope } from './envelope.ts'

const checkBody = checkEnvelope({ version: 'bedrock-2023-05-31', saysStream: false, members: ['anthropic_beta'] })

/**
 * Claude by InvokeModel: the body is Anthropic's, address, key, errors and framing are AWS's.
 * https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-anthropic-claude-messages.html, and 18 recorded streams
 */
export const onBedrock: SimulatedDialect = {
  ...awsEndpoint,
  name: 'bedrock',
  errors: awsErrors,
  path: '/model/{model}/invoke',
  readPath(path) {
    const [, model, suffix] = /^\/model\/([^/]+)\/invoke(-with-response-stream)?$/.exec(path) ?? []
    return model === undefined ? undefined : { model: decodeURIComponent(model), stream: suffix !== undefined }
  },
  check(body, memory, named) {
    const refusal = checkBody(body, memory, named)
    return refusal && refused(refusal.message)
  },
  answerStream(answer, context) {
    const frames = chunks(answerEvents(answer, context))
    return { frames, terminal: frames.length - 1, rubbish: chunk('{"type":"content_block_delta", kein JSON 東京', 0) }
  },
  failureStream: (refusal, before, context) => [...chunks(openEvents(before, context)), exceptionMessage(refusal)],
}

/** There are no pings, and AWS adds its own counts to the end. */
function chunks(events: readonly Event[]): readonly Uint8Array[] {
  const counts = { 'amazon-bedrock-invocationMetrics': { invocationLatency: 2210, firstByteLatency: 1711 } }
  return events
    .filter(({ type }) => type !== 'ping')
    .map((event) => (event.type === 'message_stop' ? { ...event, ...counts } : event))
    .map((event, ordinal) => chunk(JSON.stringify(event), ordinal))
}

function chunk(text: string, ordinal: number): Uint8Array {
  const bytes = Buffer.from(text).toString('base64')
  return eventMessage('chunk', JSON.stringify({ bytes, p: obfuscation(ordinal) }))
}
