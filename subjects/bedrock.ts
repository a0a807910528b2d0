import { createBedrock, createBedrockClaude } from '@steploop/bedrock'
import { claudeLimits } from './anthropic.ts'
import { namesNoPause, subjectOf } from './subject-of.ts'

const fields = {
  model: 'anthropic.claude-sonnet-4-5-20250929-v1:0',
  baseURL: 'https://bedrock-runtime.us-east-1.amazonaws.com',
  folder: 'bedrock',
  apiKeyVariable: 'AWS_BEARER_TOKEN_BEDROCK',
  hosts: ['amazonaws.com'],
  responseHeaders: ['x-amzn-errortype'],
}

const limits = {
  toolChoice: 'Converse has no choice of `none` (docs/wire.md#bedrock-converse)',
  continuation: 'nothing is stored: https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html',
  providerTools:
    'Claude has none there, only Nova has: https://docs.aws.amazon.com/nova/latest/nova2-userguide/tool-use.html',
  pause: 'no stop reason asks for the turn to be sent back (docs/wire.md#bedrock-converse)',
}

export const bedrock = subjectOf({
  ...fields,
  name: 'bedrock',
  wire: 'bedrock-converse',
  create: (options) => createBedrock({ region: 'us-east-1', ...options }),
  noWordsFor: {
    ...namesNoPause,
    'reasoning-text#reasoning-tokens':
      'Thoughts are not counted apart: https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_TokenUsage.html',
  },
  models: [
    'amazon.nova-lite-v1:0',
    'openai.gpt-oss-20b-1:0',
    'mistral.mistral-large-2402-v1:0',
    'us.anthropic.claude-opus-4-8',
  ],
  limits,
})

/** Requests that are signed, with credentials of a role, in place of a key. */
export const bedrockSigned = subjectOf({
  ...fields,
  name: 'bedrock-signed',
  wire: 'bedrock-converse',
  scenarios: ['parallel-calls'],
  apiKeyVariable: 'AWS_SECRET_ACCESS_KEY',
  create: ({ apiKey: secretAccessKey = '', ...options }) =>
    createBedrock({
      region: 'us-east-1',
      ...options,
      apiKey: '',
      headers: { 'X-Amzn-Tag': ' in  two ', ...options.headers },
      credentials: async () => ({
        accessKeyId: 'ASIASTEPLOOP',
        secretAccessKey,
        sessionToken: 'token of a role',
        expiration: '2999-01-01T00:00:00Z',
      }),
    }),
  noWordsFor: { ...namesNoPause, '*#same-builder': 'A signature is another one for every body and every second.' },
  limits,
})

/** Claude's own format in AWS frames. */
export const bedrockClaude = subjectOf({
  ...fields,
  name: 'bedrock-claude',
  wire: 'anthropic-messages',
  create: (options) => createBedrockClaude({ region: 'us-east-1', ...options }),
  noWordsFor: namesNoPause,
  limits: {
    ...claudeLimits,
    providerTools: 'Anthropic runs no tools there: https://docs.claude.com/en/api/claude-on-amazon-bedrock',
    pause: 'only tools that Anthropic runs pause a turn (docs/wire.md#anthropic-stop-reasons)',
  },
})
