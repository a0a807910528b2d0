import { createOpenRouter } from '@steploop/openrouter'
import { namesNoModel, namesNoPause, subjectOf } from './subject-of.ts'

export const openrouter = subjectOf({
  name: 'openrouter',
  wire: 'openai-chat',
  model: 'anthropic/claude-sonnet-4.5',
  baseURL: 'https://openrouter.ai/api/v1',
  create: createOpenRouter,
  noWordsFor: { ...namesNoPause, ...namesNoModel },
  apiKeyVariable: 'OPENROUTER_API_KEY',
  hosts: ['openrouter.ai'],
  limits: {
    continuation: 'nothing is stored: https://openrouter.ai/docs/api-reference/overview',
    pause: 'the pauses of an upstream are OpenRouter’s matter: https://openrouter.ai/docs/api-reference/overview',
    toolResultImages: 'results are text: https://openrouter.ai/docs/features/tool-calling',
  },
})
