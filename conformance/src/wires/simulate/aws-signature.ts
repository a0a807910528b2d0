import { createHash, createHmac } from 'node:crypto'
import type { SimulatedRequest } from '../../provider-script.ts'

const form =
  /^AWS4-HMAC-SHA256 Credential=([^/,\s]+)\/(\d{8})\/([a-z0-9-]+)\/(bedrock)\/aws4_request, SignedHeaders=([a-z0-9;-]+), Signature=([0-9a-f]{64})$/

/**
 * Why AWS does not take a signature, in words of its own: https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
 *
 * @param secret the secret access key
 */
export function signatureFault(request: SimulatedRequest, secret: string): string | undefined {
  const { authorization = '', ...headers } = request.headers
  const [, keyId = '', day = '', region = '', service = '', names = '', signature = ''] = form.exec(authorization) ?? []
  if (signature === '') return `Authorization header is not one of Signature Version 4: ${authorization}`
  const date = headers['x-amz-date'] ?? ''
  if (!/^\d{8}T\d{6}Z$/.test(date) || !date.startsWith(day)) return `Date in Credential scope is not that of ${date}.`
  if (keyId.startsWith('ASIA') && headers['x-amz-security-token'] === undefined)
    return 'The security token included in the request is invalid.'
  const signed = names.split(';')
  const left = ['host', ...Object.keys(headers).filter((name) => name.startsWith('x-amz-'))].filter(
    (name) => !signed.includes(name),
  )
  if (left.length > 0) return `There were headers present in the request which were not signed: ${left.join(', ')}`
  if (signed.join(';') !== signed.toSorted().join(';')) return 'SignedHeaders are not sorted.'
  const bodyHash = sha256(request.text)
  if (headers['x-amz-content-sha256'] !== undefined && headers['x-amz-content-sha256'] !== bodyHash)
    return 'The provided x-amz-content-sha256 header does not match what was computed.'
  const known = { ...headers, host: `bedrock-runtime.${region}.amazonaws.com` }
  const canonical = canonicalRequest(request, known, signed, bodyHash)
  const scope = `${day}/${region}/${service}/aws4_request`
  const due = hmac(
    [day, region, service, 'aws4_request'].reduce<string | Buffer>(hmac, `AWS4${secret}`),
    ['AWS4-HMAC-SHA256', date, scope, sha256(canonical)].join('\n'),
  ).toString('hex')
  return due === signature
    ? undefined
    : 'The request signature we calculated does not match the signature you provided. Check your AWS Secret Access Key and signing method.'
}

/** Paths are escaped once more than they are sent, at every service but S3. */
function canonicalRequest(
  { method, path }: SimulatedRequest,
  headers: Readonly<Record<string, string>>,
  signed: readonly string[],
  bodyHash: string,
): string {
  const [route = '', query = ''] = path.split('?')
  const lines = signed.map((name) => `${name}:${(headers[name] ?? '').trim().replaceAll(/\s+/g, ' ')}`)
  return [method, route.split('/').map(escaped).join('/'), query, ...lines, '', signed.join(';'), bodyHash].join('\n')
}

/** All but letters, digits and `-_.~`. */
function escaped(text: string): string {
  return Array.from(Buffer.from(text), (byte) => {
    const sign = String.fromCodePoint(byte)
    return /[\w.~-]/.test(sign) ? sign : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
  }).join('')
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest()
}
