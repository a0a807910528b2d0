import { isObject } from '@steploop/core/adapter'
import { scanStream, wireKit, type Interaction, type ResponseView } from '@steploop/conformance/cli'
import { payloadsOf } from '../cassette-tools/exchange-view.ts'
import { undecided, type ExpectedCall, type ExpectedTurn } from './answer-key.ts'

/**
 * An entry of an answer key where nobody wrote one: what the suite's reader of the wire format, which shares no code with any adapter, makes
 * of a response. `undefined`: there is no reader, or the response breaks off.
 */
export function ownReading({ response }: Interaction, wire: string): ExpectedTurn | undefined {
  const { bytes, status, headers, streamed } = response
  const read = wireKit(wire)?.readResponse
  if (bytes === undefined || read === undefined) return undefined
  // What the error says is for its reader to judge; that it is one is sure.
  if (status >= 400) return failed
  const payloads = payloadsOf(bytes, headers.get('content-type') ?? '')
  if (payloads.length === 0) return undefined
  const view = read(payloads)
  if (view.error !== undefined) return failed
  if (streamed && scanStream(bytes, wire)?.terminal === undefined) return undefined
  // OpenAI's background mode: there is no answer yet.
  if (view.finish === 'queued' || view.finish === 'in_progress') return undefined
  return expectedOf(view)
}

const failed: ExpectedTurn = {
  error: { kind: undecided, messageIncludes: '', inBand: undecided, contentBefore: undecided },
}

function expectedOf({ parts, finish, usage }: ResponseView): ExpectedTurn {
  const said = (type: 'text' | 'reasoning'): string =>
    parts.map((part) => (part.type === type ? part.text : '')).join('')
  return {
    error: null,
    text: said('text'),
    reasoningText: said('reasoning'),
    toolCalls: parts.flatMap((part, index) => {
      // The last call of an answer that was too long may be half, although its arguments parse.
      const isDoubtful = tooLong.test(finish ?? '') && !parts.slice(index + 1).some(({ type }) => type === 'call')
      return part.type === 'call' ? [callOf(part, isDoubtful)] : []
    }),
    rawFinish: finish ?? undecided,
    usage: usage && {
      inputTokens: usage.input ?? undecided,
      outputTokens: usage.output ?? undecided,
      cachedInputTokens: usage.cached ?? undecided,
      reasoningTokens: usage.reasoning ?? undecided,
    },
  }
}

const tooLong = /^(?:max_(?:output_)?tokens|length|model_length|model_context_window_exceeded|incomplete)$/i

type Call = Extract<ResponseView['parts'][number], { type: 'call' }>

function callOf({ id, toolName, input }: Call, isDoubtful: boolean): ExpectedCall {
  const isValid = isObject(input) && !isDoubtful
  return {
    id: id === '' ? null : id,
    name: toolName,
    input: isValid ? input : undecided,
    inputValid: isValid || undecided,
    owner: undecided,
  }
}
