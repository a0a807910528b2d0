import { createGroq } from '@steploop/groq'
import { noPause, subjectOf } from './subject-of.ts'

export const groq = subjectOf({
  name: 'groq',
  wire: 'openai-chat',
  model: 'qwen/qwen3-32b',
  baseURL: 'https://api.groq.com/openai/v1',
  create: createGroq,
  apiKeyVariable: 'GROQ_API_KEY',
  hosts: ['api.groq.com'],
  sampleOptions: { user: 'kunde-zürich-42' },
  models: ['openai/gpt-oss-120b', 'llama-3.3-70b-versatile', 'groq/compound', 'meta-llama/llama-4-scout'],
  limits: {
    structured: 'structured outputs do not stream: https://console.groq.com/docs/structured-outputs',
    structuredWithTools: 'structured outputs do not go with tools: https://console.groq.com/docs/structured-outputs',
    continuation: 'nothing is stored: https://console.groq.com/docs/api-reference#chat',
    providerTools:
      'of the models with function calls only gpt-oss has built-in tools: https://console.groq.com/docs/tool-use/built-in-tools',
    pause: noPause,
    imageInput: 'the model takes no images: https://console.groq.com/docs/vision lists those that do',
    fileInput: 'images are the only files of messages: https://console.groq.com/docs/vision',
    toolResultImages: 'results are text: https://console.groq.com/docs/tool-use',
    cacheControl: 'caching is automatic: https://console.groq.com/docs/prompt-caching',
  },
})
