import { createOllama } from '@steploop/ollama'
import { namesNoPause, subjectOf } from './subject-of.ts'

export const ollama = subjectOf({
  name: 'ollama',
  wire: 'ollama-chat',
  model: 'qwen3',
  baseURL: 'http://localhost:11434',
  create: createOllama,
  noWordsFor: {
    ...namesNoPause,
    'reasoning-text#reasoning-tokens':
      'The server counts thoughts and answer as one: https://docs.ollama.com/api/usage',
  },
  models: ['gpt-oss:20b'],
  limits: {
    toolChoice: 'the API has no tool choice: https://docs.ollama.com/api/chat',
    structuredWithTools:
      '`format` binds the output from its first token: https://docs.ollama.com/capabilities/structured-outputs',
    continuation: 'nothing is stored: https://docs.ollama.com/api/chat',
    providerTools: 'the server runs no tools: https://docs.ollama.com/api/chat',
    pause: 'the server pauses no turns: https://docs.ollama.com/api/chat',
    fileInput: 'messages take texts and images: https://docs.ollama.com/api/chat',
    cacheControl: 'the server keeps prompts by itself: https://docs.ollama.com/api/chat',
  },
})
