import { createRedactor, secretsIn, type TurnRequest } from '@steploop/core/adapter'

/**
 * Hides what no error may tell: the texts that the caller named, and what the request holds under names of credentials. Values are taken
 * as they are sent, without blanks and line ends around them.
 */
export function redactorOf(
  named: readonly string[],
  { headers, providerOptions, tools = [] }: TurnRequest,
): (text: string) => string {
  const data = [providerOptions, ...tools.filter(({ type }) => type === 'provider')]
  return createRedactor([...named.map((secret) => secret.trim()), ...secretsIn({ headers, data })])
}
