import type { Cassette, Exchange } from '../cassette.ts'
import { CassetteError } from '../errors.ts'
import { credentialHeaders, redactCredential, redactQuery } from '../rules/stored-headers.ts'
import { bodyTexts } from './body-texts.ts'
import { encodingsOf, readings } from './encodings.ts'
import { rulesIn } from './secret-rules.ts'

/** Something that looks secret. Neither member holds the value. */
export interface SecretFinding {
  /** The rule that fired, such as `openai-key`, or `environment:<NAME>` for the value of a variable. */
  readonly rule: string
  /** Where the secret stands, such as `response body of exchange 2, choices[0].delta.content`. */
  readonly location: string
}

export interface ScanOptions {
  /** Variables whose values must not appear: those named `*_KEY`, `*_TOKEN` or `*_SECRET`, of at least 8 characters. Default: the process's. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined
  /** The file's name, which is searched too. */
  readonly fileName?: string | undefined
}

type Scan = (text: string, location: string) => SecretFinding[]

/**
 * Searches a cassette for secrets: header, file name, URLs, headers and bodies, also base64- and URL-encoded, and in the joined pieces
 * of streams. One finding per rule and location.
 */
export function scanCassette(cassette: Cassette, options: ScanOptions = {}): SecretFinding[] {
  const scan = scanner(options.env ?? globalThis.process?.env ?? {})
  const header = Object.entries({ ...cassette.header, ...cassette.header.origin }).flatMap(([key, value]) => {
    return typeof value === 'string' ? scan(value, `header, ${key}`) : []
  })
  const exchanges = cassette.exchanges.flatMap((exchange, index) => scanExchange(scan, exchange, index + 1))
  return [...(options.fileName === undefined ? [] : scan(options.fileName, 'file name')), ...header, ...exchanges]
}

/**
 * Refuses a cassette in which anything looks secret.
 *
 * @throws {CassetteError} `secret-found`, naming rules and locations but no value.
 */
export function assertNoSecrets(cassette: Cassette, options: ScanOptions = {}): void {
  const findings = scanCassette(cassette, options)
  if (findings.length === 0) return
  const shown = findings.slice(0, 20).map(({ rule, location }) => `  ${rule} in ${location}`)
  const more = findings.length > shown.length ? [`  and ${findings.length - shown.length} more`] : []
  const inName = findings.some(({ location }) => location === 'file name')
  throw new CassetteError('secret-found', {
    file: inName ? undefined : options.fileName,
    what: `The cassette holds what looks like a secret, so nothing was written:\n${[...shown, ...more].join('\n')}\n`,
    fix: 'Keep it out of the recorded conversation, or declare its field in "mask".',
  })
}

const minimalLength = 8

/** A search with the rules and with the values of variables. */
export function scanner(env: Readonly<Record<string, string | undefined>>): Scan {
  const known = Object.entries(env).flatMap(([name, value]) => {
    if (!/_(?:KEY|TOKEN|SECRET)$/i.test(name) || value === undefined || value.length < minimalLength) return []
    return [{ rule: `environment:${name}`, looks: encodingsOf(value) }]
  })
  // Events of a stream say many things again and again.
  const clean = new Set<string>()
  return (text, location) => {
    if (clean.has(text)) return []
    const texts = readings(text)
    const rules = [
      ...texts.flatMap(rulesIn),
      ...known
        .filter(({ looks }) => texts.some((reading) => looks.some((look) => reading.includes(look))))
        .map(({ rule }) => rule),
    ]
    if (rules.length === 0) clean.add(text)
    return [...new Set(rules)].map((rule) => ({ rule, location }))
  }
}

function scanExchange(scan: Scan, { request, response }: Exchange, number: number): SecretFinding[] {
  const of = `of exchange ${number}`
  const url = redactQuery(request.url) === request.url ? [] : [{ rule: 'url-credential', location: `URL ${of}` }]
  return [
    ...onePerRule([...url, ...scan(request.url, `URL ${of}`)]),
    ...scanHeaders(scan, request.headers, `request header ${of}`),
    ...scanBody(scan, request.body, `request body ${of}`),
    ...scanHeaders(scan, response.headers, `response header ${of}`),
    ...scanBody(scan, response.body, `response body ${of}`),
  ]
}

function scanHeaders(scan: Scan, headers: Readonly<Record<string, string>>, location: string): SecretFinding[] {
  return Object.entries(headers).flatMap(([name, value]) => {
    const found = scan(value, `${location}, ${name}`)
    if (/^(?:set-)?cookie$/.test(name)) return [...found, { rule: 'cookie', location: `${location}, ${name}` }]
    const open = credentialHeaders.includes(name) && redactCredential(value) !== value
    return open ? [...found, { rule: 'credential-header', location: `${location}, ${name}` }] : found
  })
}

function scanBody(scan: Scan, body: Uint8Array, location: string): SecretFinding[] {
  return onePerRule(
    bodyTexts(body).flatMap(({ path, text }) => scan(text, path === '' ? location : `${location}, ${path}`)),
  )
}

// The same secret shows in a field, in the joined field and in the raw body: the first, most exact location is enough.
function onePerRule(findings: readonly SecretFinding[]): SecretFinding[] {
  const seen = new Set<string>()
  return findings.filter(({ rule }) => !seen.has(rule) && seen.add(rule))
}
