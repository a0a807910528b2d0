import { isObject } from '@steploop/core/adapter'
import { parsed } from '../json.ts'
import type { Bytes } from './split-offsets.ts'

/** A recorded stream as its payloads, which can be put together again with some of them changed. */
export interface StreamPayloads {
  /** Objects only; what else a stream holds stays as it is. */
  readonly payloads: readonly Readonly<Record<string, unknown>>[]
  /** The stream with other texts in the place of payloads, by their index. */
  readonly with: (changed: ReadonlyMap<number, readonly string[]>) => Bytes
}

interface Block {
  readonly raw: string
  readonly payload: Readonly<Record<string, unknown>> | undefined
  readonly isNamed: boolean
}

export function streamPayloads(body: Bytes, contentType: string): StreamPayloads {
  const isSse = contentType.startsWith('text/event-stream')
  const text = new TextDecoder().decode(body).replaceAll('\r\n', '\n')
  const blocks = text.split(isSse ? /(?<=\n\n)/ : /(?<=\n)/).map((raw) => blockOf(raw, isSse))
  const positions = blocks.flatMap(({ payload }, at) => (payload === undefined ? [] : [at]))
  return {
    payloads: positions.map((at) => blocks[at]?.payload ?? {}),
    with(changed) {
      const out = blocks.map(({ raw, isNamed }, at) => {
        const texts = changed.get(positions.indexOf(at))
        return texts === undefined ? raw : texts.map((one) => printed(one, { isSse, isNamed })).join('')
      })
      return new TextEncoder().encode(out.join(''))
    },
  }
}

function blockOf(raw: string, isSse: boolean): Block {
  const lines = raw.split('\n')
  const data = isSse ? lines.find((line) => line.startsWith('data:'))?.slice(5) : raw
  const payload = parsed(data ?? '')
  return {
    raw,
    payload: isObject(payload) ? payload : undefined,
    isNamed: lines.some((line) => line.startsWith('event:')),
  }
}

/** Where events have names, it is the payload's own type. */
function printed(text: string, { isSse, isNamed }: { readonly isSse: boolean; readonly isNamed: boolean }): string {
  if (!isSse) return `${text}\n`
  const type = /"type":"([\w.]+)"/.exec(text)?.[1]
  return `${isNamed && type !== undefined ? `event: ${type}\n` : ''}data: ${text}\n\n`
}
