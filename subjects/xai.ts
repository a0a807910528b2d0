import { createXai } from '@steploop/xai'
import { namesNoError, namesNoPause, noPause, storesNothing, subjectOf } from './subject-of.ts'

const fields = {
  baseURL: 'https://api.x.ai/v1',
  folder: 'xai',
  apiKeyVariable: 'XAI_API_KEY',
  hosts: ['x.ai'],
  sampleOptions: { user: 'kunde-zürich-42' },
}

const limits = {
  toolChoice: 'forced choices are not honoured reliably (docs/wire.md#xai)',
  pause: noPause,
  cacheControl: 'caching is automatic: https://docs.x.ai/docs/models',
}

export const xai = subjectOf({
  ...fields,
  name: 'xai',
  wire: 'openai-responses',
  model: 'grok-4',
  create: createXai,
  noWordsFor: namesNoPause,
  models: ['grok-3', 'grok-3-mini', 'grok-4.3', 'grok-4-fast-non-reasoning'],
  limits,
})

export const xaiChat = subjectOf({
  ...fields,
  name: 'xai-chat',
  wire: 'openai-chat',
  model: 'grok-3-mini',
  create: (options) => createXai(options).chat,
  noWordsFor: { ...namesNoPause, ...namesNoError },
  models: ['grok-3', 'grok-4', 'grok-4.3'],
  limits: {
    ...limits,
    continuation: storesNothing,
    providerTools: 'tools that xAI runs belong to the Responses format: https://docs.x.ai/docs/guides/tools/overview',
    fileInput: 'messages take texts and images: https://docs.x.ai/docs/api-reference#chat-completions',
  },
})
