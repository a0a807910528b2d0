import type { WireKit } from '../wire-kit.ts'

/** Known from recordings alone. https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html */
export const bedrockConverse: WireKit = {
  name: 'bedrock-converse',
  detect: {
    isEndpoint: (path) => /\/converse(-stream)?$/.test(path),
    asksForStream: (path) => path.endsWith('-stream'),
  },
}
