import { anthropicCapabilities } from '@steploop/anthropic'
import {
  AdapterError,
  defineHttpAdapter,
  environmentVariable,
  type Adapter,
  type Authorization,
  type Capabilities,
  type Origin,
  type ProviderOptions,
  type UnsignedRequest,
  type WireFormat,
} from '@steploop/core/adapter'
import { bedrockCapabilities } from './capabilities.ts'
import { credentialsOf, type CredentialSource } from './credentials.ts'
import { signRequest } from './sign-request.ts'
import { bedrockConverse, bedrockMessages } from './wire.ts'

/** `apiKey` is a Bedrock API key, which goes out as bearer token; default: AWS_BEARER_TOKEN_BEDROCK. Without one requests are signed. */
export interface BedrockOptions extends ProviderOptions {
  /** For example `eu-central-1`. Default: AWS_REGION, then AWS_DEFAULT_REGION, read when a model is named. */
  readonly region?: string | undefined
  /** Signs requests where there is no key. Default: AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN, read at each request. */
  readonly credentials?: CredentialSource | undefined
  /** The clock of signatures. Default: the system's. */
  readonly now?: (() => Date) | undefined
}

/**
 * Makes a factory of adapters for Converse: `createBedrock({ region })('anthropic.claude-sonnet-4-5-20250929-v1:0')`; a model is an id, the id
 * of an inference profile, or an ARN. Default base URL: `https://bedrock-runtime.<region>.amazonaws.com`.
 *
 * Turns throw besides what every adapter throws: `missing-api-key` without credentials, `authentication` for those that have expired,
 * `bad-request` without a region, or for one that is none.
 */
export function createBedrock(options: BedrockOptions = {}): (model: string) => Adapter {
  return (model) => {
    const origin = { provider: 'bedrock', model }
    return define(bedrockConverse(origin), { ...options, origin, capabilities: bedrockCapabilities(model) })
  }
}

/** `betas` beside those of `createBedrock`. */
export interface BedrockClaudeOptions extends BedrockOptions {
  /** Beta features of Anthropic's; `providerOptions['bedrock-claude'].betas` adds to them. */
  readonly betas?: readonly string[] | undefined
}

/**
 * Makes a factory of adapters as `createBedrock` does, but for Claude in its own format (InvokeModel), which has what Converse has no words
 * for. `provider` is `bedrock-claude`, and what stands in `providerOptions` under that name is what Anthropic takes.
 */
export function createBedrockClaude(options: BedrockClaudeOptions = {}): (model: string) => Adapter {
  const { betas, ...rest } = options
  return (model) => {
    const origin = { provider: 'bedrock-claude', model }
    return define(bedrockMessages(origin, betas), { ...rest, origin, capabilities: claudeCapabilities(model) })
  }
}

/** Tools that Anthropic runs itself are not served there. */
function claudeCapabilities(model: string): Capabilities {
  return { ...anthropicCapabilities(model), providerTools: false, pause: false }
}

/** The default instance: `bedrock('anthropic.claude-sonnet-4-5-20250929-v1:0')`. */
export const bedrock: (model: string) => Adapter = createBedrock()

function define(
  wire: WireFormat,
  {
    origin,
    region: given,
    credentials,
    now = () => new Date(),
    ...options
  }: BedrockOptions & {
    readonly origin: Origin
    readonly capabilities: Capabilities
  },
): Adapter {
  const named = given ?? environmentVariable('AWS_REGION') ?? environmentVariable('AWS_DEFAULT_REGION') ?? ''
  const region = named.trim()
  const sign = async (request: UnsignedRequest): Promise<Authorization> => {
    const date = now()
    const known = await credentialsOf(credentials, date, origin)
    checkRegion(region, origin)
    const headers = await signRequest({ ...request, credentials: known, region, date })
    return { headers, secrets: [known.secretAccessKey] }
  }
  return defineHttpAdapter(wire, {
    ...options,
    ...origin,
    baseURL: options.baseURL ?? `https://bedrock-runtime.${region}.${domainOf(region)}`,
    apiKeyVariable: 'AWS_BEARER_TOKEN_BEDROCK',
    apiKeyOptional: true,
    async auth(apiKey, request) {
      if (options.baseURL === undefined) checkRegion(region, origin)
      return apiKey === '' ? sign(request) : { headers: { authorization: `Bearer ${apiKey}` } }
    },
  })
}

/** Domain of the partition that a region belongs to (https://github.com/aws/aws-sdk-js-v3, `partitions.json`). */
function domainOf(region: string): string {
  return domains.find(([begin]) => region.startsWith(begin))?.[1] ?? 'amazonaws.com'
}

const domains: readonly (readonly [begin: string, domain: string])[] = [
  ['cn-', 'amazonaws.com.cn'],
  ['eusc-', 'amazonaws.eu'],
  ['us-iso-', 'c2s.ic.gov'],
  ['us-isob-', 'sc2s.sgov.gov'],
  ['us-isof-', 'csp.hci.ic.gov'],
  ['eu-isoe-', 'cloud.adc-e.uk'],
]

function checkRegion(region: string, origin: Origin): void {
  if (/^[a-z]{2,}(-[a-z0-9]+)+-\d+$/.test(region)) return
  const fix = 'pass `region` to the factory or set AWS_REGION, for example to eu-central-1'
  const message = region ? `'${region}' is no AWS region; ${fix}` : `no region was given; ${fix}`
  throw new AdapterError({ ...origin, code: 'bad-request', message })
}
