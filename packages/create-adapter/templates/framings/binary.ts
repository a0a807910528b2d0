import { malformed, type Origin, type WireFormat } from '@steploop/core/adapter'

const longest = 16 * 1024 * 1024

/**
 * Four bytes of length, most significant first, and so many bytes of JSON. A framer is synchronous, keeps half a frame until the rest comes,
 * and throws for what is no frame. What is left at the end is not its business: the decoder's `end` says that the answer is not whole.
 */
export function framingOf(origin: Origin): WireFormat['framing'] {
  return () => {
    const text = new TextDecoder()
    let rest = new Uint8Array(0)
    return {
      push(bytes, onFrame) {
        const all = new Uint8Array(rest.length + bytes.length)
        all.set(rest)
        all.set(bytes, rest.length)
        const view = new DataView(all.buffer)
        let at = 0
        while (all.length - at >= 4) {
          const length = view.getUint32(at)
          if (length > longest) throw malformed(origin, 'a frame has an impossible length', String(length))
          const end = at + 4 + length
          if (all.length < end) break
          onFrame({ data: text.decode(all.subarray(at + 4, end)) })
          at = end
        }
        rest = all.slice(at)
      },
      end() {},
    }
  }
}

/** For the simulator: `json` as the server frames it. */
export function toFrame(json: string): Uint8Array {
  const payload = new TextEncoder().encode(json)
  const frame = new Uint8Array(payload.length + 4)
  new DataView(frame.buffer).setUint32(0, payload.length)
  frame.set(payload, 4)
  return frame
}

export const contentType = 'application/octet-stream'
