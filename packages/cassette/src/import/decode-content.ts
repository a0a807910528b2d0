import zlib from 'node:zlib'
import { CassetteError } from '../errors.ts'

type Decoder = (bytes: Uint8Array) => Uint8Array

const decoders: Readonly<Record<string, Decoder | undefined>> = {
  gzip: zlib.gunzipSync,
  'x-gzip': zlib.gunzipSync,
  deflate: zlib.inflateSync,
  br: zlib.brotliDecompressSync,
  // Node has it since 22.15.
  zstd: 'zstdDecompressSync' in zlib ? zlib.zstdDecompressSync : undefined,
}

/**
 * Bytes after content-decoding. A body that is not coded as its header says stays as it is: recorders often decode it and keep the header.
 *
 * @throws {CassetteError} `schema` for a coding that is not known.
 */
export function decodeContent(bytes: Uint8Array, coding: string | undefined, location: string): Uint8Array {
  const names = (coding ?? '').split(',').map((name) => name.trim().toLowerCase())
  return names.toReversed().reduce((body, name) => decodeOnce(body, name, location), bytes)
}

function decodeOnce(bytes: Uint8Array, coding: string, location: string): Uint8Array {
  if (coding === '' || coding === 'identity' || bytes.length === 0) return bytes
  const decoder = decoders[coding]
  if (decoder === undefined) {
    const what = `The content-encoding "${coding}" is not known.`
    throw new CassetteError('schema', { location, what, fix: 'Record without it (accept-encoding: identity).' })
  }
  try {
    return new Uint8Array(decoder(bytes))
  } catch {
    return bytes
  }
}
