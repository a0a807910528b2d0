import type { CacheControlEphemeral } from '@anthropic-ai/sdk/resources/messages'
import { isObject, objectOf, ownMetadata, type Message, type Warn } from '@steploop/core/adapter'

/** Where breakpoints go, each as the JSON text of its `cache_control`. */
export interface CacheSwitches {
  /** At the top level of the body: the API sets the breakpoint on the last block that can have one. */
  readonly automatic?: string | undefined
  readonly system?: string | undefined
  readonly tools?: string | undefined
  /** On the last block of the last message. */
  readonly messages?: string | undefined
}

/**
 * Reads `providerOptions.anthropic.cacheControl`: `true` or `{ ttl }` is automatic caching, `{ system, tools, messages }` sets
 * breakpoints, each `true` or `{ ttl: '5m' | '1h' }`.
 */
export function cacheSwitches(option: unknown, warn: Warn): CacheSwitches {
  if ((option ?? false) === false) return {}
  const automatic = breakpoint(option)
  if (automatic !== undefined) return { automatic }
  const { system, tools, messages, ...unknown } = objectOf(option)
  if (!isObject(option) || Object.keys(unknown).length > 0) {
    const message = `cacheControl is true, { ttl: '5m' | '1h' } or { system, tools, messages }; this is not: ${JSON.stringify(option)}.`
    warn({ type: 'unsupported', path: 'providerOptions.cacheControl', message })
  }
  return { system: breakpoint(system), tools: breakpoint(tools), messages: breakpoint(messages) }
}

function breakpoint(option: unknown): string | undefined {
  const { type, ttl } = objectOf(option)
  if (ttl === '5m' || ttl === '1h') return JSON.stringify({ type: 'ephemeral', ttl } satisfies CacheControlEphemeral)
  if (option !== true && type !== 'ephemeral') return undefined
  return JSON.stringify({ type: 'ephemeral' } satisfies CacheControlEphemeral)
}

/** Sets a breakpoint on the last of some encoded objects, of which there is at least one, without encoding any of them again. */
export function markLast(elements: string, control: string | undefined): string {
  if (control === undefined) return elements
  return `${elements.slice(0, -1)},"cache_control":${control}}`
}

const endOfBlock = '}]}'

/** Sets a breakpoint on the last block of the last encoded message: the kept text stays as it is. */
export function markLastBlock(
  history: string,
  messages: readonly Message[],
  control: string | undefined,
  provider: string,
): string {
  if (control === undefined || history === '' || !canMark(messages.findLast(isSent), provider)) return history
  return `${history.slice(0, -endOfBlock.length)},"cache_control":${control}${endOfBlock}`
}

/** Whether a message is sent: what stands before one that is not may be a thought. */
function isSent({ content }: Message): boolean {
  if (typeof content === 'string') return content.trim() !== ''
  return content.some((part) => part.type !== 'text' || part.text.trim() !== '')
}

/** Thinking and opaque blocks take no breakpoint; one that the application set itself stays the only one. */
function canMark(message: Message | undefined, provider: string): boolean {
  const last = message?.content.at(-1)
  if (typeof last !== 'object') return true
  if (last.type === 'reasoning' || last.type === 'opaque') return false
  // It is not sent, and what stands before it may be a thought.
  if (last.type === 'text' && last.text.trim() === '' && message?.role === 'assistant') return false
  return objectOf(ownMetadata(last, provider))['cache_control'] === undefined
}
