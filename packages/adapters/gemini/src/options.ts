import { defineHttpAdapter, type Adapter, type ProviderOptions } from '@steploop/core/adapter'
import { geminiCapabilities } from './capabilities.ts'
import { geminiGenerate } from './wire.ts'

export interface GeminiOptions extends ProviderOptions {
  /**
   * Gives a bearer token in place of an API key, as Vertex AI wants it; asked at each request. The base URL is then the one of the
   * project: `https://<location>-aiplatform.googleapis.com/v1/projects/<project>/locations/<location>/publishers/google`.
   */
  readonly accessToken?: (() => string | Promise<string>) | undefined
}

/**
 * Makes a factory of adapters for generateContent: `createGemini({ apiKey })('gemini-3-flash-preview')`.
 * Defaults: key from GEMINI_API_KEY at the first turn, base URL `https://generativelanguage.googleapis.com/v1beta`.
 * A model id with a path (`tunedModels/x`, `publishers/google/models/x`) is taken as it is.
 */
export function createGemini(options: GeminiOptions = {}): (model: string) => Adapter {
  const provider = 'gemini'
  const { accessToken, baseURL = 'https://generativelanguage.googleapis.com/v1beta', ...rest } = options
  const serverToolCalls = !baseURL.includes('aiplatform.googleapis.com')
  return (model) =>
    defineHttpAdapter(geminiGenerate({ provider, model, serverToolCalls }), {
      ...rest,
      ...(accessToken && { apiKey: tokenInPlaceOfKey }),
      provider,
      model,
      capabilities: geminiCapabilities(model),
      baseURL,
      apiKeyVariable: 'GEMINI_API_KEY',
      auth: async (apiKey) =>
        accessToken === undefined ? { 'x-goog-api-key': apiKey } : { authorization: `Bearer ${await accessToken()}` },
    })
}

/** Too short for a secret, so nothing is masked for its sake. */
const tokenInPlaceOfKey = '-'

/** The default instance: `gemini('gemini-3-flash-preview')`. */
export const gemini: (model: string) => Adapter = createGemini()
