import { crc32 } from 'node:zlib'
import { defineSubject, type Subject } from '@steploop/conformance'
import type { ProviderReply, SimulatedProvider } from '@steploop/conformance/simulator'
import {
  AdapterError,
  arrayOf,
  defineHttpAdapter,
  malformed,
  objectOf,
  parseJson,
  providerErrorFacts,
  textOf,
  type Framer,
  type JsonObject,
  type Message,
  type TurnEvent,
  type WireFormat,
} from '@steploop/core/adapter'

const origin = { provider: 'tide', model: 'tide-1' }
const baseURL = 'https://api.tide.example/v1'

/** Length, payload, CRC32: a framing that nobody else has. */
export function frame(event: object | string): Uint8Array {
  const payload = new TextEncoder().encode(typeof event === 'string' ? event : JSON.stringify(event))
  const bytes = new Uint8Array(payload.length + 8)
  const view = new DataView(bytes.buffer)
  view.setUint32(0, payload.length)
  bytes.set(payload, 4)
  view.setUint32(payload.length + 4, crc32(bytes.subarray(0, payload.length + 4)))
  return bytes
}

const createFramer = (comparesChecksums: boolean) => (): Framer => {
  let rest = new Uint8Array(0)
  return {
    push(bytes, onFrame) {
      rest = new Uint8Array([...rest, ...bytes])
      while (rest.length >= 8) {
        const view = new DataView(rest.buffer)
        const end = 4 + view.getUint32(0)
        if (rest.length < end + 4) return
        const data = new TextDecoder().decode(rest.subarray(4, end))
        if (comparesChecksums && view.getUint32(end) !== crc32(rest.subarray(0, end)))
          throw malformed(origin, 'a checksum is wrong', data)
        rest = rest.slice(end + 4)
        onFrame({ data })
      }
    },
    end() {},
  }
}

/** What is wrong with an adapter of Tide. */
export interface TideFaults {
  /** The end of the connection is the end of the answer. */
  readonly trustsTheEnd?: boolean | undefined
  /** Checksums are read past. */
  readonly trustsFrames?: boolean | undefined
  /** Nothing says that an answer is over but the connection. */
  readonly waitsForTheEnd?: boolean | undefined
  /** What was written to a cache is no input. */
  readonly forgetsStored?: boolean | undefined
}

/** Of answers that are one text; the end says what it took. */
const tideWire = (model: string, faults: TideFaults): WireFormat => ({
  name: 'tide-talk',
  framing: createFramer(faults.trustsFrames !== true),
  encode: ({ messages, instructions, settings = {}, providerOptions }, mode) => ({
    path: `/talk?mode=${mode}`,
    body: JSON.stringify(
      { model, instructions, said: messages.map(({ content }) => content), ...providerOptions?.['tide'] },
      withoutMetadata,
    ),
    warnings: [...Object.keys(settings).map((name) => `settings.${name}`), ...blocksIn(messages)].map((path) => ({
      type: 'dropped',
      path,
      message: 'Tide has no words for it',
    })),
  }),
  createDecoder() {
    const { read, end, isOver } = createReader(faults)
    return {
      push: ({ data }, out) => read(objectOf(parseJson(data, origin)), out),
      progress: () => (isOver() && faults.waitsForTheEnd !== true ? 'done' : 'open'),
      end,
    }
  },
  decode(json, _, out) {
    const { read, end } = createReader(faults)
    for (const event of arrayOf(json)) read(objectOf(event), out)
    end(out)
  },
  decodeError(status, headers, text) {
    const facts = providerErrorFacts({ status, headers, message: text })
    return headers.get('x-tide-fault') === 'key' ? { ...facts, code: 'authentication' } : facts
  },
})

/** Where blocks stand that another provider alone understands. */
function blocksIn(messages: readonly Message[]): readonly string[] {
  return messages.flatMap(({ content }, index) => {
    const hasBlock = typeof content !== 'string' && content.some(({ type }) => type === 'opaque')
    return hasBlock ? [`messages[${index}]`] : []
  })
}

/** What a part carries for a provider means nothing here. */
function withoutMetadata(key: string, value: unknown): unknown {
  return key === 'providerMetadata' ? undefined : value
}

function createReader({ trustsTheEnd, forgetsStored }: TideFaults) {
  let ended: JsonObject | undefined
  return {
    isOver: () => ended !== undefined,
    read: (event: JsonObject, out: TurnEvent[]): void => {
      if (event['text'] === undefined) {
        if (event['read'] !== undefined) ended = event
        return
      }
      if (out.length === 0 && event['first'] === true) out.push({ type: 'turn-start' }, { type: 'text-start', part: 0 })
      out.push({ type: 'text-delta', part: 0, text: textOf(event['text']) ?? '' })
    },
    end: (out: TurnEvent[]): void => {
      if (ended === undefined && trustsTheEnd !== true) throw new AdapterError({ ...origin, code: 'incomplete-stream' })
      const { read = 1, stored = 0, wrote = 1 } = ended ?? {}
      const inputTokens = Number(read) + (forgetsStored === true ? 0 : Number(stored))
      const usage = { inputTokens, cacheWriteTokens: Number(stored), outputTokens: Number(wrote) }
      out.push({ type: 'text-end', part: 0 })
      out.push({ type: 'turn-end', finishReason: 'stop', usage })
    },
  }
}

/** Plays api.tide.example. */
function simulateTide(): SimulatedProvider {
  return ({ path }, next): ProviderReply => {
    const turn = next()
    if (turn.type !== 'answer') return { status: 400, headers: { 'x-tide-fault': 'key' }, body: 'no such key' }
    const text = turn.parts.map((part) => (part.type === 'text' ? part.text : '')).join('')
    const pieces = text.match(/[^]{1,5}/gu) ?? []
    const { inputTokens, cacheWriteTokens: stored, outputTokens: wrote } = turn.usage
    const read = inputTokens - stored
    const events = [...pieces.map((piece, at) => ({ text: piece, first: at === 0 })), { read, stored, wrote }]
    if (path.endsWith('generate')) return { body: events }
    const headers = { 'content-type': 'application/x-tide' }
    return { headers, frames: events.map((event) => frame(event)), rubbish: frame('{"text": oh') }
  }
}

/** An adapter as a community would write it: a wire format, a framing and headers that the suite has never heard of. */
export function tideSubject(
  more: Pick<Subject, 'cassettes' | 'simulate' | 'responseHeaders'>,
  faults: TideFaults = {},
): Subject {
  return defineSubject({
    name: 'tide',
    wire: 'tide-talk',
    model: 'tide-1',
    baseURL,
    simulate: simulateTide,
    responseHeaders: ['x-tide-fault'],
    checksums: true,
    adapter: ({ model = 'tide-1', baseURL: url = baseURL, ...options }) => {
      const capabilities = { streamUsage: true }
      return defineHttpAdapter(tideWire(model, faults), {
        ...options,
        baseURL: url,
        provider: 'tide',
        model,
        capabilities,
      })
    },
    ...more,
  })
}
