import { createDeepSeek } from '@steploop/deepseek'
import { namesNoModel, namesNoPause, noPause, storesNothing, subjectOf } from './subject-of.ts'

const textAlone = 'messages are text: https://api-docs.deepseek.com/api/create-chat-completion'

const limits = {
  continuation: storesNothing,
  providerTools: 'there are none: https://api-docs.deepseek.com/api/create-chat-completion',
  pause: noPause,
  imageInput: textAlone,
  fileInput: textAlone,
  toolResultImages: textAlone,
  cacheControl: 'caching is automatic: https://api-docs.deepseek.com/guides/kv_cache',
}

const fields = {
  wire: 'openai-chat',
  baseURL: 'https://api.deepseek.com',
  create: createDeepSeek,
  folder: 'deepseek',
  noWordsFor: { ...namesNoPause, ...namesNoModel },
  apiKeyVariable: 'DEEPSEEK_API_KEY',
  hosts: ['api.deepseek.com'],
  sampleOptions: { stop: ['∎ Zürich'] },
}

export const deepseek = subjectOf({ ...fields, name: 'deepseek', model: 'deepseek-chat', limits })

/** DeepSeek's adapter in thinking mode, in which calls without their reasoning are refused. */
export const deepseekReasoner = subjectOf({
  ...fields,
  name: 'deepseek-reasoner',
  model: 'deepseek-reasoner',
  limits: {
    ...limits,
    toolChoice: 'a forced choice is refused in thinking mode: https://api-docs.deepseek.com/guides/thinking_mode',
  },
})
