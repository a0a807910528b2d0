import { AdapterError, environmentVariable, objectOf, textOf, type Origin } from '@steploop/core/adapter'

/** Credentials of an IAM user or, with a session token, of a role for a while. */
export interface AwsCredentials {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken?: string | undefined
  /** When they end, as a date or as JSON has it. Those that have ended are not used. */
  readonly expiration?: Date | string | number | undefined
}

/** Credentials, or a function that gives them: asked at each request, as those of the AWS SDK are, which renew what has expired. */
export type CredentialSource = AwsCredentials | (() => AwsCredentials | Promise<AwsCredentials>)

/** Throws `missing-api-key` where there are none and `authentication` where they cannot be used. */
export async function credentialsOf(
  source: CredentialSource | undefined,
  now: Date,
  origin: Origin,
): Promise<AwsCredentials> {
  const given = source === undefined ? fromEnvironment() : typeof source === 'function' ? await source() : source
  if (given === undefined) {
    const message =
      'no credentials were given; set AWS_BEARER_TOKEN_BEDROCK, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or pass `apiKey` or `credentials` to the factory (for profiles and roles: `fromNodeProviderChain()` of @aws-sdk/credential-providers)'
    throw new AdapterError({ ...origin, code: 'missing-api-key', message })
  }
  return usable(given, now, origin)
}

function fromEnvironment(): AwsCredentials | undefined {
  const accessKeyId = environmentVariable('AWS_ACCESS_KEY_ID')?.trim()
  const secretAccessKey = environmentVariable('AWS_SECRET_ACCESS_KEY')?.trim()
  const sessionToken = environmentVariable('AWS_SESSION_TOKEN')?.trim()
  if (!accessKeyId || !secretAccessKey) return undefined
  return { accessKeyId, secretAccessKey, ...(sessionToken && { sessionToken }) }
}

function usable(given: AwsCredentials, now: Date, origin: Origin): AwsCredentials {
  const fail = (message: string): never => {
    throw new AdapterError({ ...origin, code: 'authentication', message })
  }
  const { accessKeyId, secretAccessKey, expiration } = objectOf(given)
  if (!textOf(accessKeyId)?.trim()) fail('the credentials have no `accessKeyId`')
  if (!textOf(secretAccessKey)?.trim()) fail('the credentials have no `secretAccessKey`')
  if (expiration == null) return given
  const end = new Date(expiration as Date | string | number)
  if (Number.isNaN(end.getTime())) fail('the `expiration` of the credentials is no date')
  if (end <= now) fail(`the credentials expired at ${end.toISOString()}; give a function that renews them`)
  return given
}
