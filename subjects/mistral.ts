import { createMistral } from '@steploop/mistral'
import { namesNoError, namesNoModel, namesNoPause, noPause, subjectOf } from './subject-of.ts'

export const mistral = subjectOf({
  name: 'mistral',
  wire: 'openai-chat',
  model: 'mistral-small-latest',
  baseURL: 'https://api.mistral.ai/v1',
  create: createMistral,
  noWordsFor: {
    ...namesNoPause,
    ...namesNoModel,
    ...namesNoError,
    'reasoning-text#reasoning-tokens':
      'Mistral counts thoughts and answer as one: https://docs.mistral.ai/api/endpoint/chat',
  },
  apiKeyVariable: 'MISTRAL_API_KEY',
  hosts: ['api.mistral.ai'],
  models: ['magistral-medium-latest'],
  limits: {
    structuredWithTools:
      'a response format beside tools is refused: https://docs.mistral.ai/capabilities/structured_output',
    continuation:
      'Chat Completions stores nothing, Mistral’s conversations are another API: https://docs.mistral.ai/api',
    pause: noPause,
    toolResultImages: 'results are text: https://docs.mistral.ai/capabilities/function_calling',
    cacheControl: 'no switches in messages, `prompt_cache_key` is an option: https://docs.mistral.ai/api/endpoint/chat',
  },
})
