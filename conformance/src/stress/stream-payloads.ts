import { isObject } from '@steploop/core/adapter'
import { parsed } from '../json.ts'
import { isEventStream, messagePayload, printMessage, scanMessages } from '../wires/read/event-stream.ts'
import type { Bytes } from './split-offsets.ts'

/** A recorded stream as its payloads, which can be put together again with some of them changed. */
export interface StreamPayloads {
  /** Objects only; what else a stream holds stays as it is. */
  readonly payloads: readonly Readonly<Record<string, unknown>>[]
  /** The stream with other texts in the place of payloads, by their index. */
  readonly with: (changed: ReadonlyMap<number, readonly string[]>) => Bytes
}

interface Block {
  readonly raw: Bytes
  readonly payload: Readonly<Record<string, unknown>> | undefined
  /** The block with another text in place of its payload. */
  readonly print: (text: string) => Bytes
}

export function streamPayloads(body: Bytes, contentType: string): StreamPayloads {
  const blocks = isEventStream(body) ? messageBlocks(body) : textBlocks(body, contentType)
  const positions = blocks.flatMap(({ payload }, at) => (payload === undefined ? [] : [at]))
  return {
    payloads: positions.map((at) => blocks[at]?.payload ?? {}),
    with(changed) {
      const out = blocks.flatMap(({ raw, print }, at) => {
        const texts = changed.get(positions.indexOf(at))
        return texts === undefined ? [raw] : texts.map(print)
      })
      return new Uint8Array(Buffer.concat(out))
    },
  }
}

function messageBlocks(body: Bytes): readonly Block[] {
  return scanMessages(body).map((message) => ({
    raw: body.subarray(message.start, message.end),
    payload: messagePayload(message),
    print: (text) => printMessage(text, message),
  }))
}

function textBlocks(body: Bytes, contentType: string): readonly Block[] {
  const isSse = contentType.startsWith('text/event-stream')
  const text = new TextDecoder().decode(body).replaceAll('\r\n', '\n')
  return text.split(isSse ? /(?<=\n\n)/ : /(?<=\n)/).map((raw) => textBlock(raw, isSse))
}

const encoder = new TextEncoder()

function textBlock(raw: string, isSse: boolean): Block {
  const lines = raw.split('\n')
  const data = isSse ? lines.find((line) => line.startsWith('data:'))?.slice(5) : raw
  const payload = parsed(data ?? '')
  const isNamed = lines.some((line) => line.startsWith('event:'))
  return {
    raw: encoder.encode(raw),
    payload: isObject(payload) ? payload : undefined,
    print: (one) => encoder.encode(printed(one, { isSse, isNamed })),
  }
}

/** Where events have names, it is the payload's own type. */
function printed(text: string, { isSse, isNamed }: { readonly isSse: boolean; readonly isNamed: boolean }): string {
  if (!isSse) return `${text}\n`
  const type = /"type":"([\w.]+)"/.exec(text)?.[1]
  return `${isNamed && type !== undefined ? `event: ${type}\n` : ''}data: ${text}\n\n`
}
