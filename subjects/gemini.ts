import { createGemini } from '@steploop/gemini'
import { modelScenarios, subjectOf } from './subject-of.ts'

/** What Gemini lacks on Vertex AI too. */
export const geminiLimits = {
  continuation: 'generateContent holds the whole conversation: https://ai.google.dev/api/generate-content',
  pause: 'no finish reason asks for the turn to be sent back: https://ai.google.dev/api/generate-content#FinishReason',
  cacheControl:
    'caches are objects with a life of their own, named in `cachedContent`: https://ai.google.dev/gemini-api/docs/caching',
}

/** What the format has no word for, on Vertex AI too. */
export const geminiNoWords = {
  'file-input#file-named': 'a file beside words has data and a type: https://ai.google.dev/api/caching#Blob',
}

const fields = {
  wire: 'gemini-generate',
  baseURL: 'https://generativelanguage.googleapis.com/v1beta',
  create: createGemini,
  folder: 'gemini',
  scopes: ['gemini-generate/in-full'],
  apiKeyVariable: 'GEMINI_API_KEY',
  models: ['gemini-2.5-pro', 'gemini-2.5-flash', 'gemini-2.0-flash'],
}

export const gemini = subjectOf({
  ...fields,
  name: 'gemini',
  model: 'gemini-3-flash-preview',
  limits: geminiLimits,
  noWordsFor: geminiNoWords,
})

/** A model that thinks by a budget, which cannot be nothing, and takes no schema beside tools. */
export const geminiBudget = subjectOf({
  ...fields,
  name: 'gemini-budget',
  model: 'gemini-2.5-pro',
  limits: {
    ...geminiLimits,
    structuredWithTools: 'Gemini 3 and later: https://ai.google.dev/gemini-api/docs/structured-output',
    toolResultImages: 'Gemini 3 and later: https://ai.google.dev/gemini-api/docs/function-calling#multimodal',
  },
  scenarios: modelScenarios,
})
