import { textOf, type JsonObject, type TurnEvent } from '@steploop/core/adapter'
import { closeParts, type OpenParts } from './part-writer.ts'

/** An answer in audio (`message.audio`): whole, or in pieces of base64 that are padded each on its own. */
export interface AudioAnswer {
  read(audio: JsonObject): void
  end(out: TurnEvent[]): void
}

export function createAudioAnswer(parts: OpenParts): AudioAnswer {
  const pieces: string[] = []
  let facts: Record<string, unknown> | undefined
  return {
    read({ data, transcript, ...rest }) {
      const said = `${textOf(facts?.['transcript']) ?? ''}${textOf(transcript) ?? ''}`
      facts = { ...facts, ...rest, ...(said !== '' && { transcript: said }) }
      if (typeof data === 'string' && data !== '') pieces.push(data)
    },
    end(out) {
      if (facts === undefined || pieces.length === 0) return
      closeParts(parts, out)
      const data = joined(pieces)
      out.push({
        type: 'file',
        part: parts.next++,
        mediaType: mediaTypeOf(data),
        data,
        providerMetadata: parts.providerMetadata({ audio: facts }),
      })
    },
  }
}

function joined(pieces: readonly string[]): string {
  const [first = ''] = pieces
  return pieces.length === 1 ? first : btoa(pieces.map((piece) => atob(piece)).join(''))
}

/** The answer names no format; the request does, which may be anyone's. What has no mark is PCM, which is all that streams give. */
function mediaTypeOf(base64: string): string {
  return marks.find(([mark]) => base64.startsWith(mark))?.[1] ?? 'audio/pcm'
}

/** `RIFF`, `ID3`, an MPEG frame, `fLaC`, `OggS` and ADTS, as base64. */
const marks: readonly (readonly [string, string])[] = [
  ['UklGR', 'audio/wav'],
  ['SUQz', 'audio/mpeg'],
  ['//v', 'audio/mpeg'],
  ['//P', 'audio/mpeg'],
  ['ZkxhQ', 'audio/flac'],
  ['T2dnU', 'audio/ogg'],
  ['//F', 'audio/aac'],
]
