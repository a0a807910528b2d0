import { crc32 } from 'node:zlib'
import { defineSubject, scenarios, type Subject } from '@steploop/conformance'
import { cassettePath } from '@steploop/conformance/cli'
import { recordScenario } from '@steploop/lab'
import { readCassette, writeCassette } from '@steploop/cassette'
import { AdapterError, type Adapter } from '@steploop/core'
import { createOllama } from '@steploop/ollama'

const baseURL = 'https://api.binary.example'

/** Lines of JSON in binary frames: four bytes of length, the line, four bytes of checksum. No text format that a scanner could know. */
function framed(lines: Uint8Array): Uint8Array<ArrayBuffer> {
  const frames = new TextDecoder()
    .decode(lines)
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => new TextEncoder().encode(line))
  const out = new Uint8Array(frames.reduce((sum, { length }) => sum + 8 + length, 0))
  let at = 0
  for (const frame of frames) {
    new DataView(out.buffer).setUint32(at, frame.length)
    out.set(frame, at + 4)
    new DataView(out.buffer).setUint32(at + 4 + frame.length, crc32(frame))
    at += 8 + frame.length
  }
  return out
}

/** Turns binary frames back into lines; half a frame at the end is left out, as a framer does. */
function unframed(comparesChecksums: boolean): TransformStream<Uint8Array, Uint8Array> {
  let rest = new Uint8Array(0)
  return new TransformStream({
    transform(bytes, controller) {
      rest = new Uint8Array([...rest, ...bytes])
      while (rest.length >= 4) {
        const view = new DataView(rest.buffer, rest.byteOffset)
        const size = 8 + view.getUint32(0)
        if (rest.length < size) return
        const line = rest.subarray(4, size - 4)
        if (comparesChecksums && view.getUint32(size - 4) !== crc32(line)) throw new TypeError('a frame is damaged')
        controller.enqueue(new Uint8Array([...line, 0x0a]))
        rest = rest.slice(size)
      }
    },
  })
}

const binaryType = 'application/x-frames'

export interface BinaryOptions {
  readonly cassettes: string
  /** The end of the connection is the end of the answer. */
  readonly trustsTheEnd?: boolean | undefined
  /** Checksums are read past. */
  readonly trustsFrames?: boolean | undefined
  /** What is wrong with the adapter else. */
  readonly spoil?: ((adapter: Adapter) => Adapter) | undefined
}

/** A community's adapter: a wire format and a framing that the suite has never heard of. */
export function binarySubject({
  cassettes,
  trustsTheEnd,
  trustsFrames,
  spoil = (adapter) => adapter,
}: BinaryOptions): Subject {
  return defineSubject({
    name: 'binary',
    wire: 'binary-chat',
    model: 'binary-1',
    baseURL,
    cassettes,
    checksums: true,
    adapter({ fetch = globalThis.fetch, model = 'binary-1', ...options }) {
      const unpacked: typeof fetch = async (input, init) => {
        const { body, status, headers } = await fetch(input, init)
        const isBinary = headers.get('content-type') === binaryType
        const lines = isBinary && body !== null ? body.pipeThrough(unframed(trustsFrames !== true)) : body
        const type = isBinary ? { 'content-type': 'application/x-ndjson' } : undefined
        return new Response(lines, { status, headers: { ...Object.fromEntries(headers), ...type } })
      }
      const adapter = createOllama({ baseURL, ...options, fetch: unpacked })(model)
      return spoil(trustsTheEnd ? trusting(adapter) : adapter)
    },
  })
}

/** Takes whatever came until the connection ended for a whole answer. */
function trusting(adapter: Adapter): Adapter {
  return {
    ...adapter,
    async *turn(request, context) {
      let isTextOpen = false
      try {
        for await (const batch of adapter.turn(request, context)) {
          const border = batch.findLast(({ type }) => type === 'text-start' || type === 'text-end')
          if (border !== undefined) isTextOpen = border.type === 'text-start'
          yield batch
        }
      } catch (error) {
        if (!AdapterError.isInstance(error) || error.code !== 'incomplete-stream') throw error
        if (isTextOpen) yield [{ type: 'text-end', part: 0 }]
        const usage = { inputTokens: 1, outputTokens: 1 }
        yield [{ type: 'turn-end', finishReason: 'stop', rawFinishReason: 'stop', usage }]
      }
    },
  }
}

/** Cassettes of the binary subject, made from those of a format that the simulator speaks. */
export async function recordBinary(
  subject: Subject,
  ids: readonly string[],
  origin: 'simulated' | 'live',
): Promise<void> {
  const lines = defineSubject({
    name: 'lines',
    wire: 'ollama-chat',
    model: subject.model,
    baseURL,
    cassettes: subject.cassettes,
    adapter: ({ model = subject.model, ...options }) => createOllama({ baseURL, ...options })(model),
  })
  for (const scenario of scenarios.filter(({ id }) => ids.includes(id))) {
    for (const mode of ['generate', 'stream'] as const) {
      const { status, problems } = await recordScenario({ subject: lines, scenario, mode, from: 'simulator' })
      if (status !== 'written') throw new Error(`${scenario.id}: ${problems.join()}`)
      const path = cassettePath(subject, scenario.id, mode)
      const { header, exchanges } = readCassette(path)
      const { kind: _, ...by } = header.origin
      writeCassette(path, {
        header: {
          ...header,
          provider: subject.name,
          wire: subject.wire,
          origin: { ...by, kind: origin, ...(origin === 'live' && { host: new URL(baseURL).host }) },
        },
        exchanges: exchanges.map((exchange) => {
          const { response } = exchange
          if (!response.headers['content-type']?.includes('ndjson')) return exchange
          const body = framed(response.body)
          const headers = { ...response.headers, 'content-type': binaryType }
          return { ...exchange, response: { ...response, headers, body, chunks: [{ ms: 0, bytes: body.length }] } }
        }),
      })
    }
  }
}
