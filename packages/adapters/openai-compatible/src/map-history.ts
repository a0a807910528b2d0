import type { Message, ToolResultPart } from '@steploop/core'
import { textInPlaceOfFiles } from './file-part.ts'

interface Copy {
  count: number
  last: Message | undefined
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
      copy = { count: 0, last: undefined, messages: [] }
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

/** For providers whose tool results are text: the message with a text in place of each file; itself where it has none. */
export function withTextResults(message: Message): Message {
  if (message.role !== 'tool') return message
  const content = message.content.map(textResult)
  return content.every((part, index) => part === message.content[index]) ? message : { ...message, content }
}

function textResult(part: ToolResultPart): ToolResultPart {
  const { output } = part
  if (output.type !== 'content' || output.value.every(({ type }) => type === 'text')) return part
  return { ...part, output: { type: 'text', value: textInPlaceOfFiles(output.value) } }
}
