import { awsErrors } from '../simulate/aws-errors.ts'
import { inputsAreObjects, refusalIsText } from '../no-words.ts'
import type { WireKit } from '../wire-kit.ts'
import { bedrockConverseMutations } from './mutations.ts'
import { bedrockConverseQuirks } from './quirks.ts'
import { readConversation } from './read-conversation.ts'
import { readRequest } from './read-request.ts'
import { readResponse } from './read-response.ts'
import { bedrockConverse as simulation } from './simulate/index.ts'
import { wordsIn } from '../simulate/words.ts'

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
  readResponse,
  readConversation,
  // An event has one member, which names it.
  eventLabels: (payload) => Object.keys(payload),
  isTerminal: ({ type }) => type === 'messageStop',
  errors: awsErrors,
  samples: {
    options: { performanceConfig: { latency: 'standard' } },
    cacheOptions: { cacheControl: { system: true, tools: true, messages: true } },
  },
  // "Member must satisfy regular expression pattern: [a-zA-Z0-9_-]+"
  legalId: /^[a-zA-Z0-9_-]{1,64}$/,
  mutations: bedrockConverseMutations,
  quirks: bedrockConverseQuirks,
  usualUrl: ({ base, model, isStream }) =>
    `${base}/model/${encodeURIComponent(model)}/converse${isStream ? '-stream' : ''}`,
  noWords: {
    'file-from-model': 'Models that talk give no files.',
    refusal: refusalIsText,
    'unparsable-arguments/generate': inputsAreObjects,
  },
  shownOnTraffic: wordsIn(`
    file-input image-in-result image-input instructions-and-settings nested-arguments no-arguments no-tools
    parallel-calls parallel-same-tool reasoning-replay reasoning-text single-call structured
    structured-with-tools text-only text-then-call three-turn tool-choice-named tool-choice-required
  `),
}
