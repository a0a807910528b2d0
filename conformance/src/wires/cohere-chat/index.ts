import type { WireKit } from '../wire-kit.ts'

/** Known from recordings alone. https://docs.cohere.com/reference/chat */
export const cohereChat: WireKit = {
  name: 'cohere-chat',
  detect: {
    isEndpoint: (path) => path.endsWith('/v2/chat'),
    isPayload: (_payload, type) => /^(message|content)-(start|delta)$/.test(type),
    recordedAs: ['cohere'],
  },
  framing: { named: true },
}
