import { isObject, jsonOf } from '@steploop/core/adapter'
import { isEventStream, opaqueStrings, type Interaction } from '@steploop/conformance/cli'
import { payloadsOf } from '../cassette-tools/exchange-view.ts'

/** What became of the opaque strings of one response in the request that followed it. */
export interface Survival {
  /** Opaque strings of the response that the recorded client sent back, in its order. */
  readonly sentBack: readonly string[]
  /** Opaque strings that came back and that our request lacks or has in another order. */
  readonly lost: readonly string[]
  /** The recorded client reordered them: no model for us. */
  readonly edited: boolean
}

/**
 * Holds the request that our adapter makes of a decoded response against the one that the recorded client made: every opaque string that
 * came back then has to come back now, in the same order.
 *
 * @param ours the body that the adapter encoded
 * @returns `undefined` when the recorded client sent nothing opaque back
 */
export function compareSurvival(interaction: Interaction, following: unknown, ours: string): Survival | undefined {
  const given = opaqueOfResponse(interaction)
  const sentBack = unique(opaqueStrings(following)).filter((text) => given.includes(text))
  if (sentBack.length === 0) return undefined
  // A stream names an item before it gives its content, so ids say nothing about order.
  const order = sentBack.filter((text) => !isItemId(text)).map((text) => given.indexOf(text))
  const edited = order.some((here, index) => here < (order[index - 1] ?? 0))
  return { sentBack, lost: lostInOrder(sentBack, unique(opaqueStrings(JSON.parse(ours)))), edited }
}

function unique(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)]
}

/** What is not found going through `found` once, from left to right. */
function lostInOrder(wanted: readonly string[], found: readonly string[]): readonly string[] {
  let from = 0
  return wanted.filter((text) => {
    const index = found.indexOf(text, from)
    if (index >= 0) from = index + 1
    return index < 0
  })
}

export function opaqueOfResponse({ response }: Interaction): readonly string[] {
  if (response.bytes === undefined) return []
  if (isEventStream(response.bytes)) return unique(opaqueStrings(joinSignatures(payloadsOf(response.bytes, ''))))
  const text = new TextDecoder().decode(response.bytes)
  const payloads = response.streamed ? text.split(/\r\n|\n|\r/).map((line) => line.replace(/^data: ?/, '')) : [text]
  return unique(
    opaqueStrings(
      joinSignatures(payloads.filter((line) => line.startsWith('{')).flatMap((line) => jsonOf(line) ?? [])),
    ),
  )
}

/** Signatures may come in pieces, block by block (Anthropic `signature_delta`): the first piece is made the whole. */
function joinSignatures(payloads: readonly unknown[]): readonly unknown[] {
  const byBlock = new Map<unknown, { signature: string }>()
  return payloads.flatMap((payload): unknown[] => {
    if (!isObject(payload) || !isObject(payload['delta'])) return [payload]
    const { signature } = payload['delta']
    if (typeof signature !== 'string') return [payload]
    const begun = byBlock.get(payload['index'])
    if (begun !== undefined) {
      begun.signature += signature
      return []
    }
    const whole = { signature }
    byBlock.set(payload['index'], whole)
    return [whole]
  })
}

/** Ids are short, whatever stands for content is long. */
function isItemId(text: string): boolean {
  return text.length < 80
}
