import {
  AdapterError,
  environmentVariable,
  isObject,
  textOf,
  type HttpAdapterOptions,
  type Origin,
  type ProviderOptions,
  type TokenOptions,
} from '@steploop/core/adapter'

/** What is needed of `GoogleAuth` of the package `google-auth-library`, or of one of its clients, which give the token in an object. */
export interface GoogleAuth {
  getAccessToken(): Promise<string | null | undefined | { readonly token?: string | null | undefined }>
}

/** One of `accessToken` and `auth` gives the tokens. There is no API key. */
export interface GoogleCloudOptions extends Omit<ProviderOptions, 'apiKey'>, TokenOptions {
  /** Id of the project. Default: GOOGLE_CLOUD_PROJECT, read when a model is named. */
  readonly project?: string | undefined
  /** For example `europe-west4`. Default: GOOGLE_CLOUD_LOCATION, then `global`. */
  readonly location?: string | undefined
  /** `new GoogleAuth({ scopes: 'https://www.googleapis.com/auth/cloud-platform' })`; it renews tokens by itself. */
  readonly auth?: GoogleAuth | undefined
}

type Connection = Pick<HttpAdapterOptions, 'baseURL' | 'accessToken'>

/** Address and tokens for the models of a publisher. What is missing or wrong is told at the first turn, before any request. */
export function connect(options: GoogleCloudOptions, publisher: string, origin: Origin): Connection {
  const project = options.project ?? environmentVariable('GOOGLE_CLOUD_PROJECT')
  const location = options.location ?? environmentVariable('GOOGLE_CLOUD_LOCATION') ?? 'global'
  const path = `v1/projects/${project}/locations/${location}/publishers/${publisher}`
  return {
    baseURL: options.baseURL ?? `https://${hostOf(location)}/${path}`,
    async accessToken() {
      if (options.baseURL === undefined) checkAddress(project, location, origin)
      const token = textOf(await tokenOf(options, origin))
      if (token?.trim()) return token
      const message =
        'the source of tokens gave none: `accessToken` has to give a text, such as `(await client.getAccessToken()).token`; `auth` may give a text or `{ token }`'
      throw new AdapterError({ ...origin, code: 'authentication', message })
    },
  }
}

/** The two locations of many regions have hosts of another form (https://cloud.google.com/vertex-ai/generative-ai/docs/learn/locations). */
function hostOf(location: string): string {
  if (location === 'global') return 'aiplatform.googleapis.com'
  if (location === 'us' || location === 'eu') return `aiplatform.${location}.rep.googleapis.com`
  return `${location}-aiplatform.googleapis.com`
}

async function tokenOf({ accessToken, auth }: GoogleCloudOptions, origin: Origin): Promise<unknown> {
  if (accessToken !== undefined) return accessToken()
  if (auth !== undefined) {
    const given = await auth.getAccessToken()
    return isObject(given) ? given['token'] : given
  }
  const message =
    'no credentials were given; pass `auth` (a GoogleAuth of google-auth-library) or `accessToken` to the factory'
  throw new AdapterError({ ...origin, code: 'missing-api-key', message })
}

/** Checks project and location: both become a part of the address. */
function checkAddress(project: string | undefined, location: string, origin: Origin): void {
  const message = addressProblem(project, location)
  if (message !== undefined) throw new AdapterError({ ...origin, code: 'bad-request', message })
}

function addressProblem(project: string | undefined, location: string): string | undefined {
  if (!project) return 'no project was given; pass `project` to the factory or set GOOGLE_CLOUD_PROJECT'
  if (!/^[a-z0-9][a-z0-9.:-]*$/.test(project)) return `'${project}' is no id of a project`
  if (/^[a-z]+(-[a-z]+\d+)?$/.test(location)) return undefined
  return `'${location}' is no location; pass \`location\` to the factory, for example europe-west4 or global`
}
