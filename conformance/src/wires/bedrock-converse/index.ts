import { inputsAreObjects, refusalIsText } from '../no-words.ts'
import type { WireKit } from '../wire-kit.ts'
import { readRequest } from './read-request.ts'
import { scanMessages } from './scan-messages.ts'
import { bedrockConverse as simulation } from './simulate/index.ts'

/** https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html */
export const bedrockConverse: WireKit = {
  name: 'bedrock-converse',
  provider: 'bedrock',
  detect: {
    isEndpoint: (path) => /\/converse(-stream)?$/.test(path),
    asksForStream: (path) => path.endsWith('-stream'),
    modelOf: (url) => {
      const model = /\/model\/([^/]+)\/converse/.exec(url)?.[1]
      return model === undefined ? undefined : decodeURIComponent(model)
    },
  },
  simulation,
  readRequest,
  scanStream: scanMessages,
  isTerminal: ({ type }) => type === 'messageStop',
  samples: {
    options: { performanceConfig: { latency: 'standard' } },
    cacheOptions: { cacheControl: { system: true, tools: true, messages: true } },
  },
  // "Member must satisfy regular expression pattern: [a-zA-Z0-9_-]+"
  legalId: /^[a-zA-Z0-9_-]{1,64}$/,
  noWords: {
    'file-from-model': 'Models that talk give no files.',
    refusal: refusalIsText,
    'unparsable-arguments/generate': inputsAreObjects,
  },
}
