import { bedrockCapabilities, bedrockConverse } from '@steploop/bedrock'
import { runConformance, type Subject } from '@steploop/conformance'
import { defineHttpAdapter, type Frame, type Framer, type Origin, type WireFormat } from '@steploop/core/adapter'
import { expect, test } from 'vitest'
import config from '../steploop.config.ts'

const bedrock = config.subjects.find(({ name }) => name === 'bedrock')!

/** The subject with its wire format broken on purpose. */
function broken(change: (wire: WireFormat) => Partial<WireFormat>): Subject {
  return {
    ...bedrock,
    adapter({ model = bedrock.model, baseURL = bedrock.baseURL, ...options }) {
      const origin: Origin = { provider: 'bedrock', model }
      const wire = bedrockConverse(origin)
      const capabilities = bedrockCapabilities(model)
      return defineHttpAdapter({ ...wire, ...change(wire) }, { ...options, ...origin, baseURL, capabilities })
    },
  }
}

/** Reads messages by their lengths and compares no checksum. */
function createCarelessFramer({ keepsRest }: { readonly keepsRest: boolean }): Framer {
  let rest = new Uint8Array(0)
  return {
    push(bytes, onFrame) {
      const all = Uint8Array.from([...rest, ...bytes])
      const view = new DataView(all.buffer)
      let at = 0
      while (all.length - at >= 16 && view.getUint32(at) >= 16 && all.length - at >= view.getUint32(at)) {
        const size = view.getUint32(at)
        const payloadAt = at + 12 + view.getUint32(at + 4)
        onFrame(frameOf(all.subarray(at + 12, payloadAt), all.subarray(payloadAt, at + size - 4)))
        at += size
      }
      rest = keepsRest ? all.slice(at) : new Uint8Array(0)
    },
    end(onFrame) {
      if (rest.length > 0) onFrame({ event: 'unfinished', data: '{}' })
    },
  }
}

function frameOf(headers: Uint8Array, payload: Uint8Array): Frame {
  const text = new TextDecoder()
  const event = /:event-type[^]{3}(\w+)/.exec(text.decode(headers))?.[1]
  return { event, data: text.decode(payload) }
}

/** Takes the end of the bytes for the end of the answer. */
function trustingEnd(wire: WireFormat): Partial<WireFormat> {
  return {
    createDecoder(request) {
      const decoder = wire.createDecoder(request)
      return {
        ...decoder,
        end(out) {
          if (decoder.progress?.() === 'open')
            decoder.push({ event: 'messageStop', data: '{"stopReason":"end_turn"}' }, out)
          decoder.end(out)
        },
      }
    },
  }
}

const mutants: readonly (readonly [string, string, Subject])[] = [
  [
    'checksums that nobody compares',
    'checksum',
    broken(() => ({ framing: () => createCarelessFramer({ keepsRest: true }) })),
  ],
  [
    'a message that is lost where a chunk ends',
    'rechunk',
    broken(() => ({ framing: () => createCarelessFramer({ keepsRest: false }) })),
  ],
  ['the end of the bytes as the end of the answer', 'truncate', broken(trustingEnd)],
]

test.each(mutants)(
  '%s turns the case red, which the sound framing passes with the stressor `%s`',
  async (_, stressor, subject) => {
    const options = { scenario: ['text-only'], mode: 'stream', stress: [stressor] } as const
    const honest = await runConformance([broken(() => ({}))], options)
    const [sound] = honest.cases[0]?.checks.filter(({ id }) => id === stressor) ?? []
    expect(sound).toMatchObject({ verdict: 'pass' })
    expect(sound?.variants).toBeGreaterThan(10)
    const report = await runConformance([subject], options)
    expect(report.counts.fail).toBe(1)
    // What loses messages where a chunk ends fails at the chunks of the cassette already.
    const [check] = report.cases[0]?.checks.filter(({ id }) => id === stressor) ?? []
    expect(check?.verdict ?? 'fail').toBe('fail')
  },
)
