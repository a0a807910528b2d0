import type { Message } from '@steploop/core/adapter'

interface Copy {
  count: number
  last?: Message
  readonly messages: Message[]
}

/**
 * Makes a function that gives a history in the form that a stricter provider takes: messages replaced, or others put before them. A
 * history that grows gives one copy that grows with it, so that what was encoded stays encoded.
 *
 * @param change what stands in place of `message`; `before` is the message before it. Return the message itself where nothing changes
 */
export function mapHistory(
  change: (message: Message, before: Message | undefined) => readonly Message[],
): (messages: readonly Message[]) => readonly Message[] {
  const copies = new WeakMap<readonly Message[], Copy>()
  return (messages) => {
    let copy = copies.get(messages)
    if (copy === undefined || messages[copy.count - 1] !== copy.last) {
      copy = { count: 0, messages: [] }
      copies.set(messages, copy)
    }
    for (const message of messages.slice(copy.count)) {
      copy.messages.push(...change(message, copy.last))
      copy.last = message
      copy.count++
    }
    return copy.messages
  }
}
