import type { CassetteError } from '../errors.ts'

/** Names the code of the refusal in the response of a front-end that can only answer. */
export const refusalHeader = 'x-steploop-cassette'

/**
 * What a front-end that speaks HTTP says instead of throwing. Status 400, because clients retry a 5xx and would bury the message under
 * the misses of their retries.
 */
export function refusal(error: CassetteError): { status: number; headers: Record<string, string>; body: string } {
  return {
    status: 400,
    headers: { 'content-type': 'application/json', [refusalHeader]: error.code },
    body: JSON.stringify({ error: { type: 'cassette', code: error.code, message: error.message } }),
  }
}
