import { scanMessages } from '../wires/read/event-stream.ts'
import { brokenMessages, isMessageStream } from '../wires/read/odd-messages.ts'
import { openSearch, type VariantSearch } from './variant-search.ts'
import { recordedTurns, turnKey, turnLocation, turnReplayer, type RecordedTurn } from './replay-turn.ts'
import { around } from './split-offsets.ts'
import { turnOf, type StressCase, type Stressor } from './stressor.ts'

/** How many bytes of a stream are tried, spread over it, unless everything is: of one that is cut everywhere, and of those after it. */
const indexes = { first: 64, later: 16 }

/** A checksum that is not checked is none. */
export const checksum: Stressor = {
  id: 'checksum',
  sentence:
    'A bit that is flipped in a stream whose frames bear checksums is an error with a type, wherever it is, and so is a frame that fits them and says nothing.',
  async run(stressCase) {
    const search = openSearch(stressCase)
    const { subject, sweep, only } = stressCase
    const turns = stressCase.mode === 'stream' ? recordedTurns(stressCase) : []
    const checked = turns.filter((recorded) => {
      const isChecked = subject.checksums ?? isMessageStream(recorded)
      return isChecked && recorded.turn.error === undefined && recorded.exchange.response.status === 200
    })
    for (const recorded of checked) {
      const key = `checksum ${turnKey(recorded)}`
      if (only !== undefined || !sweep.seen.has(key)) await flip(stressCase, recorded, search)
      sweep.seen.add(key)
    }
    const first = checked.find(isMessageStream)
    if (first !== undefined && (only !== undefined || !sweep.seen.has('broken messages'))) {
      sweep.seen.add('broken messages')
      await breakMessage(stressCase, first, search)
    }
    return search.outcome(
      checked.length === 0 ? 'no frames here bear checksums, as far as the subject says' : undefined,
    )
  },
}

/** A frame may fit its checksums and be none all the same. It stands behind the first one of the stream. */
async function breakMessage(stressCase: StressCase, recorded: RecordedTurn, search: VariantSearch): Promise<void> {
  const { body, number } = recorded
  const replay = turnReplayer(stressCase, recorded)
  const { start = 0 } = scanMessages(body)[1] ?? {}
  for (const [id, message] of brokenMessages) {
    const variant = `${number}/${id}`
    if (!search.tries(variant)) continue
    const { error, isTyped } = await replay({
      chunks: [body.slice(0, start), new Uint8Array(message), body.slice(start)],
    })
    if (isTyped) continue
    const what = error === undefined ? 'the turn ends well all the same' : `it fails without a typed error: ${error}`
    const where = turnLocation(stressCase.evidence, number)
    search.found(variant, [
      { message: `response ${number} has a second message that is broken (${id}): ${what}`, where },
    ])
  }
}

/** The first one that goes through says enough. */
async function flip(stressCase: StressCase, recorded: RecordedTurn, search: VariantSearch): Promise<void> {
  const { body, number } = recorded
  const replay = turnReplayer(stressCase, recorded)
  const { full, budget } = stressCase.sweep
  const wanted = body.length <= budget ? indexes.first : indexes.later
  const stride = full || stressCase.only !== undefined ? 1 : Math.max(1, Math.floor(body.length / wanted))
  // Streams begin alike, so each is tried at other bytes of its first frame.
  // Where frames are lines, the end of the last one belongs to none of them.
  const end = body.findLastIndex((byte) => byte !== 0x0a && byte !== 0x0d) + 1
  for (let offset = turnOf(stressCase) % stride; offset < end; offset += stride) {
    const variant = `${number}/${offset}`
    if (!search.tries(variant)) continue
    const damaged = new Uint8Array(body)
    damaged[offset] = (body[offset] ?? 0) ^ (1 << (offset % 8))
    const { error, isTyped } = await replay({ chunks: [damaged] })
    if (error !== undefined && isTyped) continue
    const what = error === undefined ? 'the turn ends well all the same' : 'it fails without a typed error'
    const message = `response ${number} has one bit flipped at byte ${offset} of ${body.length}, ${around(body, offset)}: ${what}. Let the framer throw \`malformed-response\` for a frame that does not fit its checksum`
    search.found(variant, [{ message, where: turnLocation(stressCase.evidence, number) }])
    return
  }
}
