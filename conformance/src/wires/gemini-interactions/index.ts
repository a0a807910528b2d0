import type { WireKit } from '../wire-kit.ts'

/** Known from recordings alone. https://ai.google.dev/api/interactions-api */
export const geminiInteractions: WireKit = {
  name: 'gemini-interactions',
  detect: {
    isEndpoint: (path) => /\/interactions(\/[^/]+)*$/.test(path),
    isPart: (path) => /\/interactions\/[^/]+/.test(path) && !path.endsWith('/interactions'),
  },
}
