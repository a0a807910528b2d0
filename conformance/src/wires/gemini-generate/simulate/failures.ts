import { failureTable } from '../../simulate/failure-table.ts'
import type { Rejection } from '../../simulate/wire-simulation.ts'
import { invalidArgument, type StatusRejection } from '../../simulate/google-status.ts'

const wrongKey: StatusRejection = {
  ...invalidArgument('API key not valid. Please pass a valid API key.'),
  details: [
    {
      '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
      reason: 'API_KEY_INVALID',
      domain: 'googleapis.com',
      metadata: { service: 'generativelanguage.googleapis.com' },
    },
  ],
}

/** A key in the header, or a bearer token of OAuth. */
export function authorise(headers: Readonly<Record<string, string>>, apiKey?: string): Rejection | undefined {
  const given = headers['x-goog-api-key'] || (headers['authorization'] ?? '').replace(/^Bearer /, '')
  if (given === '') {
    const message =
      "Method doesn't allow unregistered callers (callers without established identity). Please use API Key or other form of API consumer identity to call this API."
    return { status: 403, type: 'PERMISSION_DENIED', message }
  }
  return apiKey === undefined || given === apiKey ? undefined : wrongKey
}

export function responseHeaders(requestNumber: number): Readonly<Record<string, string>> {
  return { 'server-timing': `gfet4t7; dur=${300 + requestNumber}`, vary: 'Origin, X-Origin, Referer' }
}

/** The delay stands in the body, not in a header (docs/wire.md#retry-after). */
const rateLimited: StatusRejection = {
  status: 429,
  type: 'RESOURCE_EXHAUSTED',
  message:
    'You exceeded your current quota, please check your plan and billing details. For more information on this error, head to: https://ai.google.dev/gemini-api/docs/rate-limits.',
  details: [
    {
      '@type': 'type.googleapis.com/google.rpc.QuotaFailure',
      violations: [
        {
          quotaMetric: 'generativelanguage.googleapis.com/generate_content_free_tier_requests',
          quotaId: 'GenerateRequestsPerMinutePerProjectPerModel-FreeTier',
        },
      ],
    },
    { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '1s' },
  ],
}

/** https://ai.google.dev/gemini-api/docs/troubleshooting */
export const failure = failureTable({
  'bad-key': wrongKey,
  forbidden: [403, 'PERMISSION_DENIED', 'The caller does not have permission'],
  'unknown-model': [
    404,
    'NOT_FOUND',
    'models/{model} is not found for API version v1beta, or is not supported for generateContent. Call ModelService.ListModels to see the list of available models and their supported methods.',
  ],
  'bad-request': invalidArgument('Request contains an invalid argument.'),
  'context-overflow': invalidArgument(
    'The input token count (1200345) exceeds the maximum number of tokens allowed (1048576).',
  ),
  'rate-limited': rateLimited,
  'insufficient-credit': [
    429,
    'RESOURCE_EXHAUSTED',
    'Your prepayment credits are depleted. Please go to AI Studio to manage your project and billing.',
  ],
  overloaded: [503, 'UNAVAILABLE', 'The model is overloaded. Please try again later.'],
  'server-error': [500, 'INTERNAL', 'An internal error has occurred. Please retry.'],
})
