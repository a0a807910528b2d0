import { createHash } from 'node:crypto'

/**
 * An opaque payload that the simulator can check later without remembering it: a digest of what it belongs to.
 * Real providers do the same with signatures and encryption: a changed text no longer fits its signature.
 */
export function seal(prefix: string, ...parts: readonly string[]): string {
  const digest = createHash('sha512').update(JSON.stringify(parts)).digest('base64url')
  return `${prefix}${digest}`
}

/** Whether `token` is what `seal` made of the same parts. */
export function isSealOf(token: string, prefix: string, ...parts: readonly string[]): boolean {
  return token === seal(prefix, ...parts)
}
