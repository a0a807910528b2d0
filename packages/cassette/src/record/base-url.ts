import { CassetteError } from '../errors.ts'

const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

export const isRedirect = (status: number): boolean => redirects.has(status)

/** A base URL in normal form, without a slash at its end. */
export function normalBaseURL(url: string): string {
  const { origin, pathname } = new URL(url)
  return (origin + pathname).replace(/\/+$/, '')
}

/**
 * The part of a URL behind the base URL, starting with `/` or `?`, or empty.
 *
 * @throws {CassetteError} `outside-base-url`; a path that merely begins alike (`/v1beta` for `/v1`) is outside, and so is one with `..`,
 * because the URL is brought into normal form first.
 */
export function behindBaseURL(url: string, baseURL: string): string {
  const parsed = new URL(url)
  parsed.hash = ''
  const rest = parsed.href.startsWith(baseURL) ? parsed.href.slice(baseURL.length) : undefined
  if (rest !== undefined && parsed.username === '' && parsed.password === '' && (rest === '' || /^[/?]/.test(rest)))
    return rest
  throw new CassetteError('outside-base-url', {
    what: `A request to ${parsed.origin}${parsed.pathname} is outside of ${baseURL}, so it was not sent.`,
    fix: 'Record one provider at a time, or give the publicBaseURL that its client uses.',
  })
}

/** The refusal of a redirect, which would carry the credentials to another location and leave that location out of the cassette. */
export function redirected(status: number, url: string): CassetteError {
  return new CassetteError('outside-base-url', {
    what: `${new URL(url).origin} answered with the redirect ${status}, which a recording does not follow.`,
    fix: 'Give the address to which it leads as base URL.',
  })
}
