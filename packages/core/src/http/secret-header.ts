const words =
  /^(auth|oauth|authorization|authentication|cookies?|keys?|token|secrets?|password|passwd|credentials?|(api|access|auth|client|private|secret|security|session|subscription|virtual|x|xapi)(key|token|secret))$/

/**
 * Whether the value of a header may be seen by nobody else. Only whole words of its name count: `x-portkey-provider` and `x-author` are no
 * secrets, and what they hold, the name of a provider for one, would be taken out of every message.
 */
export function isSecretHeader(name: string): boolean {
  const parts = name
    .replaceAll(/([a-z])([A-Z])/g, '$1-$2')
    .toLowerCase()
    .split(/[^a-z]+/)
  return parts.some((part) => words.test(part))
}
