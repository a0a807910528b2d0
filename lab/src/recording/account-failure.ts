import type { Exchange } from '@steploop/cassette'
import { arrayOf, isObject, objectOf, type JsonObject } from '@steploop/core/adapter'
import { payloadsOf } from '../cassette-tools/exchange-view.ts'
import type { Scenario } from '@steploop/conformance'

/** What the provider holds against the account, not against the request. */
export type AccountFailureKind = 'authentication' | 'permission' | 'quota' | 'rate-limit'

export interface AccountFailure {
  readonly kind: AccountFailureKind
  /** Number of the exchange in the recording, from 1. */
  readonly exchange: number
  readonly exchanges: number
  readonly status: number
  /** The failure stands in the body although the status says success. */
  readonly inBody: boolean
}

/**
 * Finds exchanges in which the provider refused the account: by status, and by the error objects in bodies and streams, whatever the
 * status. It reads the recorded bytes itself, so that an adapter which swallows such an error cannot hide it. Failures that the scenario
 * is about are left out.
 */
export function accountFailures(exchanges: readonly Exchange[], { script }: Scenario): readonly AccountFailure[] {
  const scripted = script.filter((turn) => turn.type === 'failure' && scriptedKinds.has(turn.failure)).length
  const found = exchanges.flatMap(({ response }, index): readonly AccountFailure[] => {
    const said = errorsOf(response)
    const kind = said.map((error) => kindOf(error)).find((one) => one !== undefined) ?? byStatus[response.status]
    if (kind === undefined) return []
    const { status } = response
    return [{ kind, exchange: index + 1, exchanges: exchanges.length, status, inBody: status >= 200 && status < 300 }]
  })
  return found.slice(scripted)
}

/** The failures of a script that concern the account. */
const scriptedKinds: ReadonlySet<string> = new Set(['bad-key', 'forbidden', 'rate-limited', 'insufficient-credit'])

/** 401 and 403: RFC 9110, section 15.5. 402 is how OpenRouter and DeepSeek say that the credit is used up; 429: RFC 6585. */
const byStatus: Readonly<Record<number, AccountFailureKind>> = {
  401: 'authentication',
  402: 'quota',
  403: 'permission',
  429: 'rate-limit',
}

/**
 * Words of the providers' codes and messages: `invalid_api_key`, `UNAUTHENTICATED`, `permission_error`, `insufficient_quota`,
 * `billing_error`, `rate_limit_exceeded`, `RESOURCE_EXHAUSTED` and their like. Quota comes first: OpenAI sends it with 429, xAI with 403.
 * OpenAI, Groq and Vertex say of every model that there is not that one may have no access to it.
 */
const words: readonly (readonly [AccountFailureKind, RegExp])[] = [
  ['quota', /insufficient[_ ](?:quota|balance|funds)|\bcredits?\b|billing|payment[_ ](?:required|instrument)|\b402\b/i],
  ['authentication', /security token|authentication failed/i],
  ['permission', /permission|forbidden|unsupported_country|is not allowed|requires a subscription|\b403\b/i],
  ['permission', /^(?!.*\bnot (?:found|exist)\b).*(?:access ?denied|\b(?:no|not have|don't have) access\b)/is],
  ['authentication', /\bapi[_ -]key\b|authenticat|unauthori[sz]ed|\b401\b/i],
  ['rate-limit', /rate[_ -]?limit|throttling|limited to \d+ API calls|exhausted|too[_ ]many[_ ]requests|\b429\b/i],
]

function kindOf(error: string): AccountFailureKind | undefined {
  return words.find(([, pattern]) => pattern.test(error))?.[0]
}

/** The codes and the message of every error object in a body. */
function errorsOf({ body, headers }: Exchange['response']): readonly string[] {
  const contentType = headers['content-type'] ?? ''
  if (contentType.includes('vnd.amazon.eventstream')) return exceptionsOf(body)
  return payloadsOf(body, contentType).flatMap((payload) => {
    const { error } = payload
    // A failed response of OpenAI, and the last event of Cohere, carry their error one level down.
    const inner = objectOf(payload['response'] ?? payload['delta'])['error']
    // AWS and Cohere have a text for a message in errors alone; AWS names the class in a header.
    const isError =
      payload['type'] === 'error' || payload['object'] === 'error' || typeof payload['message'] === 'string'
    const own = isError ? [{ code: headers['x-amzn-errortype'], ...payload }] : []
    return [error, inner, ...own].flatMap((one) => {
      // xAI's Chat Completions have the message under `error` and the code beside it.
      if (typeof one === 'string') return [wordsOf({ ...payload, message: one })]
      return isObject(one) ? [wordsOf(one)] : []
    })
  })
}

/** In AWS's frames the class of an exception is a header, three bytes behind its name, and its words are the payload. */
function exceptionsOf(body: Uint8Array): readonly string[] {
  const text = new TextDecoder('latin1').decode(body)
  return [...text.matchAll(/:exception-type[^]{3}(\w+)[^{]*(\{[^{}]*\})?/g)].map(
    ([, type = '', payload = '']) => `${type} ${payload}`,
  )
}

function wordsOf(error: JsonObject): string {
  const reasons = arrayOf(error['details']).map((detail) => objectOf(detail)['reason'])
  const members = ['type', 'code', 'status', 'status_code', 'message'].map((name) => error[name])
  return [...members, ...reasons].filter((word) => typeof word === 'string' || typeof word === 'number').join(' ')
}

/** For people: what the provider refused, and where. */
export function describeAccountFailure({ kind, exchange, exchanges, status, inBody }: AccountFailure): string {
  const what = {
    authentication: 'the provider refuses the key: check the variable that holds it',
    permission: 'the key is good, but not for this: check the permissions of the account',
    quota: 'the credit of the account is used up: check its billing',
    'rate-limit': 'the provider still asks for a pause after all retries: wait, and record again',
  }[kind]
  const where = inBody ? `inside a ${status}` : `with status ${status}`
  return `account failure in exchange ${exchange} of ${exchanges}, ${where}: ${what}. Nothing was recorded.`
}
