import type { JsonObject, Rejection, SimulatedDialect } from '../simulate/wire-simulation.ts'

/** Endings of the hosts of Azure's OpenAI service: https://learn.microsoft.com/azure/ai-foundry/openai/reference */
export const azureHosts = ['openai.azure.com', 'cognitiveservices.azure.com', 'services.ai.azure.com'] as const

type AzureEndpoint = Required<Pick<SimulatedDialect, 'readPath' | 'authorise' | 'headers'>>

/**
 * What Azure puts before OpenAI's formats: the version of the API in the query, the key in a header of its own, other response headers.
 * The deployment is a part of the base URL in the dated API, and the model of the body in the v1 API; both end in `endpoint`.
 */
export function azureEndpoint(endpoint: string): AzureEndpoint {
  const address = new RegExp(`^/v1${endpoint}\\?api-version=(\\d{4}-\\d{2}-\\d{2}(-preview)?|v1|preview|latest)$`)
  return {
    readPath: (path): JsonObject | undefined => (address.test(path) ? {} : undefined),
    authorise,
    headers: (requestNumber) => ({
      'apim-request-id': `00000000-51a0-4000-8000-${String(requestNumber).padStart(12, '0')}`,
      'x-ms-region': 'Switzerland North',
      'x-ratelimit-remaining-requests': String(5000 - requestNumber),
      'x-ratelimit-remaining-tokens': String(800_000 - 100 * requestNumber),
    }),
  }
}

/** A bearer token would be one of Entra ID; no key is one, so it is refused like a missing key. */
function authorise(headers: Readonly<Record<string, string>>, apiKey?: string): Rejection | undefined {
  const key = headers['api-key']
  if (headers['authorization'] === undefined && key && (apiKey === undefined || key === apiKey)) return undefined
  const message =
    'Access denied due to invalid subscription key or wrong API endpoint. Make sure to provide a valid key for an active subscription and use a correct regional API endpoint for your resource.'
  return { status: 401, type: 'invalid_request_error', code: '401', message }
}

const severities = ['hate', 'self_harm', 'sexual', 'violence'] as const

/** What the filters found in a text: nothing. https://learn.microsoft.com/azure/ai-foundry/openai/concepts/content-filter */
export const nothingFiltered: JsonObject = Object.fromEntries(
  severities.map((name) => [name, { filtered: false, severity: 'safe' }]),
)

/** Filter results of prompts, of which it is also said whether somebody tried to break out. */
export const promptFilterResults: readonly JsonObject[] = [
  {
    prompt_index: 0,
    content_filter_results: { ...nothingFiltered, jailbreak: { detected: false, filtered: false } },
  },
]
