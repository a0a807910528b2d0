import { failureTable } from './failure-table.ts'
import type { JsonObject, Rejection, SimulatedDialect } from './wire-simulation.ts'
import { invalidArgument, type StatusRejection } from './google-status.ts'

type Endpoint = Omit<SimulatedDialect, 'name' | 'check'> & Required<Pick<SimulatedDialect, 'failure' | 'readPath'>>

export interface VertexMethods {
  /** Whose models they are, as the path says it. */
  readonly publisher: string
  /** What stands behind the model's name, with the query, where the answer is whole, and where it is streamed. */
  readonly generate: string
  readonly stream: string
}

/**
 * Vertex AI as the endpoint of a publisher's models: address, token, and what is refused before a model sees it are Google's.
 * https://cloud.google.com/vertex-ai/generative-ai/docs/model-reference/inference
 */
export function vertexEndpoint({ publisher, generate, stream }: VertexMethods): Endpoint {
  const basePath = `/v1/projects/my-project/locations/global/publishers/${publisher}`
  return {
    hosts: ['aiplatform.googleapis.com'],
    basePath,
    path: `/models/{model}:${generate}`,
    readPath(path): JsonObject | undefined {
      if (!path.startsWith(basePath)) return undefined
      const [, model, method] = /^\/models\/([^/:?]+):(.+)$/.exec(path.slice(basePath.length)) ?? []
      if (model === undefined || (method !== generate && method !== stream)) return undefined
      return { model: decodeURIComponent(model), stream: method === stream }
    },
    errorTypes: { notFound: 'NOT_FOUND', server: 'INTERNAL' },
    authorise,
    failure: failureTable(failures(publisher)),
    headers: (requestNumber) => ({
      'server-timing': `gfet4t7; dur=${300 + requestNumber}`,
      vary: 'Origin, X-Origin, Referer',
    }),
  }
}

/** A token of Google's: keys of the Gemini API, or of Anthropic's, open nothing here. */
function authorise(headers: Readonly<Record<string, string>>, apiKey?: string): Rejection | undefined {
  const [, token] = /^Bearer (\S+)$/.exec(headers['authorization'] ?? '') ?? []
  if (token === undefined)
    return unauthenticated('is missing required authentication credential', 'CREDENTIALS_MISSING')
  const unexpected = ['x-goog-api-key', 'x-api-key', 'anthropic-version'].find((name) => name in headers)
  if (unexpected !== undefined) return invalidArgument(`${unexpected}: the header is not for Vertex AI`)
  return apiKey === undefined || token === apiKey ? undefined : wrongToken
}

function unauthenticated(fault: string, reason: string): StatusRejection {
  return {
    status: 401,
    type: 'UNAUTHENTICATED',
    message: `Request ${fault}. Expected OAuth 2 access token, login cookie or other valid authentication credential. See https://developers.google.com/identity/sign-in/web/devconsole-project.`,
    details: errorInfo(reason),
  }
}

function errorInfo(reason: string): readonly JsonObject[] {
  const metadata = { service: 'aiplatform.googleapis.com' }
  return [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason, domain: 'googleapis.com', metadata }]
}

const wrongToken = unauthenticated('had invalid authentication credentials', 'ACCESS_TOKEN_TYPE_UNSUPPORTED')

const noBilling: StatusRejection = {
  status: 403,
  type: 'PERMISSION_DENIED',
  message: 'This API method requires billing to be enabled. Please enable billing on project my-project, then retry.',
  details: errorInfo('BILLING_DISABLED'),
}

/** https://cloud.google.com/vertex-ai/generative-ai/docs/model-reference/api-errors */
function failures(publisher: string): Parameters<typeof failureTable>[0] {
  const model = `projects/my-project/locations/global/publishers/${publisher}/models/{model}`
  return {
    'bad-key': wrongToken,
    forbidden: [
      403,
      'PERMISSION_DENIED',
      `Permission 'aiplatform.endpoints.predict' denied on resource '//aiplatform.googleapis.com/${model}' (or it may not exist).`,
    ],
    'unknown-model': [
      404,
      'NOT_FOUND',
      `Publisher Model \`${model}\` was not found or your project does not have access to it. Please ensure you are using a valid model version. For more information, see: https://cloud.google.com/vertex-ai/generative-ai/docs/learn/model-versions`,
    ],
    'bad-request': invalidArgument('Request contains an invalid argument.'),
    'context-overflow': invalidArgument(
      'The input token count (1200345) exceeds the maximum number of tokens allowed (1048576).',
    ),
    'rate-limited': [
      429,
      'RESOURCE_EXHAUSTED',
      'Resource exhausted. Please try again later. Please refer to https://cloud.google.com/vertex-ai/generative-ai/docs/error-code-429 for more details.',
    ],
    'insufficient-credit': noBilling,
    overloaded: [503, 'UNAVAILABLE', 'The service is currently unavailable.'],
    'server-error': [500, 'INTERNAL', 'Internal error encountered.'],
  }
}
