import type { TokenLogprob } from '../contract/logprobs.ts'
import { arrayOf, objectOf } from './json.ts'

/** Reads a list of OpenAI's form (`token`, `logprob`, `bytes`, `top_logprobs`), which others have taken over. What is no entry is left out. */
export function readLogprobs(given: unknown): readonly TokenLogprob[] {
  return arrayOf(given).flatMap((entry) => {
    const read = entryOf(objectOf(entry))
    const top = arrayOf(objectOf(entry)['top_logprobs']).flatMap((other) => entryOf(objectOf(other)) ?? [])
    return read === undefined ? [] : [{ ...read, ...(top.length > 0 && { top }) }]
  })
}

function entryOf({ token, logprob, bytes }: Readonly<Record<string, unknown>>): TokenLogprob | undefined {
  if (typeof token !== 'string' || typeof logprob !== 'number') return undefined
  return { token, logprob, ...(Array.isArray(bytes) && { bytes: bytes.filter((byte) => typeof byte === 'number') }) }
}
