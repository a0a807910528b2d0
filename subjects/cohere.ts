import { createCohere } from '@steploop/cohere'
import { namesNoPause, subjectOf } from './subject-of.ts'

export const cohere = subjectOf({
  name: 'cohere',
  wire: 'cohere-chat',
  model: 'command-a-reasoning-08-2025',
  baseURL: 'https://api.cohere.com/v2',
  create: createCohere,
  noWordsFor: namesNoPause,
  apiKeyVariable: 'CO_API_KEY',
  hosts: ['api.cohere.com'],
  limits: {
    toolChoice: 'a certain tool cannot be demanded: https://docs.cohere.com/reference/chat',
    structuredWithTools: 'a response format beside tools is refused: https://docs.cohere.com/docs/structured-outputs',
    continuation: 'nothing is stored: https://docs.cohere.com/reference/chat',
    providerTools: 'there are none: https://docs.cohere.com/reference/chat',
    pause: 'no finish reason asks for the turn to be sent back: https://docs.cohere.com/reference/chat',
    fileInput: 'messages take texts and images: https://docs.cohere.com/reference/chat',
    toolResultImages: 'results are texts and documents: https://docs.cohere.com/reference/chat',
    cacheControl: 'caching is automatic: https://docs.cohere.com/reference/chat',
  },
})
