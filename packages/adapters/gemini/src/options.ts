import { defineHttpAdapter, type Adapter, type ProviderOptions, type TokenOptions } from '@steploop/core/adapter'
import { geminiCapabilities } from './capabilities.ts'
import { geminiGenerate } from './wire.ts'

/**
 * With `accessToken` the base URL is that of a project on Vertex AI:
 * `https://<location>-aiplatform.googleapis.com/v1/projects/<project>/locations/<location>/publishers/google`.
 */
export interface GeminiOptions extends ProviderOptions, TokenOptions {}

/**
 * Makes a factory of adapters for generateContent: `createGemini({ apiKey })('gemini-3-flash-preview')`.
 * Defaults: key from GEMINI_API_KEY at the first turn, base URL `https://generativelanguage.googleapis.com/v1beta`.
 * A model id with a path (`tunedModels/x`, `publishers/google/models/x`) is taken as it is.
 */
export function createGemini(options: GeminiOptions = {}): (model: string) => Adapter {
  const provider = 'gemini'
  const { baseURL = 'https://generativelanguage.googleapis.com/v1beta', ...rest } = options
  const serverToolCalls = !baseURL.includes('aiplatform.googleapis.com')
  return (model) =>
    defineHttpAdapter(geminiGenerate({ provider, model, serverToolCalls }), {
      ...rest,
      provider,
      model,
      capabilities: geminiCapabilities(model),
      baseURL,
      apiKeyVariable: 'GEMINI_API_KEY',
      auth: (apiKey) => ({ headers: { 'x-goog-api-key': apiKey } }),
    })
}

/** The default instance: `gemini('gemini-3-flash-preview')`. */
export const gemini: (model: string) => Adapter = createGemini()
