import type { AwsCredentials } from './credentials.ts'

/** A request as it goes out, and by whom, where and when it is signed. */
export interface SignOptions {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array<ArrayBuffer>
  readonly credentials: AwsCredentials
  readonly region: string
  /** Default `bedrock`. */
  readonly service?: string | undefined
  readonly date: Date
}

/** On the way to AWS these may be changed, so they are not signed. */
const unsigned =
  /^(authorization|cache-control|connection|expect|from|keep-alive|max-forwards|pragma|referer|te|trailer|transfer-encoding|upgrade|user-agent|x-amzn-trace-id)$|^(proxy-|sec-)/

/**
 * The headers that sign a request by Signature Version 4, in the header (`AWS4-HMAC-SHA256`), as the AWS SDK signs it.
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
 */
export async function signRequest(options: SignOptions): Promise<Record<string, string>> {
  const { method, body, credentials, region, service = 'bedrock', date } = options
  const url = new URL(options.url)
  const given = Object.fromEntries(Object.entries(options.headers).map(([name, value]) => [name.toLowerCase(), value]))
  // What the caller gives goes out in place of ours, so that it is what has to be signed.
  const time = given['x-amz-date'] ?? date.toISOString().replaceAll(/[-:]|\.\d{3}/g, '')
  const day = time.slice(0, 8)
  const bodyHash = given['x-amz-content-sha256'] ?? hex(await crypto.subtle.digest('SHA-256', body))
  const added = {
    'x-amz-date': time,
    'x-amz-content-sha256': bodyHash,
    ...(credentials.sessionToken && { 'x-amz-security-token': credentials.sessionToken }),
  }
  const headers: Readonly<Record<string, string>> = { host: url.host, ...added, ...given }
  const signed = Object.keys(headers)
    .filter((name) => !unsigned.test(name))
    .toSorted()
  const names = signed.join(';')
  const request = [
    method,
    url.pathname.replaceAll(/\/+/g, '/').split('/').map(escapeUri).join('/'),
    canonicalQuery(url.searchParams),
    ...signed.map((name) => `${name}:${headers[name]?.trim().replaceAll(/\s+/g, ' ')}`),
    '',
    names,
    bodyHash,
  ].join('\n')
  const scope = `${day}/${region}/${service}/aws4_request`
  const digest = hex(await crypto.subtle.digest('SHA-256', bytesOf(request)))
  let key = bytesOf(`AWS4${credentials.secretAccessKey}`)
  for (const text of [day, region, service, 'aws4_request']) key = await hmac(key, text)
  const signature = hex(await hmac(key, `AWS4-HMAC-SHA256\n${time}\n${scope}\n${digest}`))
  const credential = `${credentials.accessKeyId}/${scope}`
  return {
    ...added,
    authorization: `AWS4-HMAC-SHA256 Credential=${credential}, SignedHeaders=${names}, Signature=${signature}`,
  }
}

/** `encodeURIComponent`, and the characters that it leaves as they are. */
export function escapeUri(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}

/** Sorted by names, then by values: the sign between them is less than any that is escaped. */
function canonicalQuery(query: URLSearchParams): string {
  const pairs = [...query].map((pair) => pair.map(escapeUri).join('\0'))
  return pairs.toSorted().join('&').replaceAll('\0', '=')
}

const encoder = new TextEncoder()

function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  return encoder.encode(text)
}

async function hmac(key: Uint8Array<ArrayBuffer>, text: string): Promise<Uint8Array<ArrayBuffer>> {
  const usable = await crypto.subtle.importKey('raw', key, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign'])
  return new Uint8Array(await crypto.subtle.sign('HMAC', usable, bytesOf(text)))
}

function hex(bytes: ArrayBuffer | Uint8Array<ArrayBuffer>): string {
  return Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, '0')).join('')
}
