import { readings } from './encodings.ts'
import { secretRules } from './secret-rules.ts'

/** What belongs to a person is no secret in a message to that person. */
const keyRules = secretRules.filter(({ id }) => id !== 'home-path' && id !== 'e-mail')

/** Whether a text holds what looks like a key, URL- and base64-encoded, too. */
export function looksSecret(text: string): boolean {
  return readings(text).some((reading) => keyRules.some((rule) => rule.finds(reading)))
}
