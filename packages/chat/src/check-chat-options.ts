import type { ChatOptions } from './chat-options.ts'
import type { ChatStore } from './chat-store.ts'

const storeMethods = ['load', 'begin', 'write', 'end', 'read', 'stop'] as const satisfies readonly (keyof ChatStore)[]
const numbers = ['leaseMs', 'heartbeatMs', 'pollMs', 'maxBodyBytes'] as const satisfies readonly (keyof ChatOptions)[]
const functions = [
  'authorize',
  'runOptions',
  'waitUntil',
  'onError',
  'errorText',
  'fileUrl',
  'isDynamic',
] as const satisfies readonly (keyof ChatOptions)[]

/** What the longest timer can wait. */
const maxMs = 2 ** 31 - 1

/** Code without types may give anything, and what is wrong is to be seen when the server starts, not in the middle of a chat. */
export function checkChatOptions(options: ChatOptions): void {
  const { loop, store, onDisconnect, leaseMs = 30_000, heartbeatMs = 1000 } = options
  if (typeof loop?.stream !== 'function') throw new TypeError('`loop` has no `stream`. Give a StepLoop.')
  const missing = storeMethods.find((name) => typeof store?.[name] !== 'function')
  if (missing !== undefined)
    throw new TypeError(`\`store\` has no \`${missing}\`. Give a ChatStore, as memoryStore() is one.`)
  for (const name of functions) {
    const value = options[name]
    if (value !== undefined && typeof value !== 'function') throw new TypeError(`\`${name}\` is no function.`)
  }
  for (const name of numbers) {
    const value = options[name]
    if (value !== undefined && !(Number.isInteger(value) && value > 0 && value <= maxMs))
      throw new RangeError(`\`${name}\` is ${String(value)}. Give an integer from 1 to ${maxMs}.`)
  }
  if (heartbeatMs >= leaseMs)
    throw new RangeError(
      `\`heartbeatMs\`, ${heartbeatMs}, has to be less than \`leaseMs\`, ${leaseMs}: a run would lose its chat.`,
    )
  if (onDisconnect !== undefined && !['continue', 'abort'].includes(onDisconnect))
    throw new RangeError(`\`onDisconnect\` is '${onDisconnect}'. Give 'continue' or 'abort'.`)
}
