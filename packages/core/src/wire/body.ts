import type { TurnRequest } from '../contract/adapter.ts'

/** JSON texts joined by commas, without the empty ones: elements of an array, or members of an object. */
export function joinJson(texts: readonly string[]): string {
  let joined = ''
  for (const text of texts) if (text !== '') joined += joined === '' ? text : `,${text}`
  return joined
}

/** An object of members that are JSON text already, in their order, without those for which JSON has none: functions, say. */
export function printMembers(members: ReadonlyMap<string, string | undefined>): string {
  return `{${joinJson(Array.from(members, ([name, json]) => (json === undefined ? '' : `${JSON.stringify(name)}:${json}`)))}}`
}

/**
 * The system prompt of a format that has a place for it outside of the messages: the instructions, and the system messages at the very
 * beginning. Blank texts, which such formats refuse, are left out.
 *
 * @returns the texts, and the index of the first message that is not among them
 */
export function leadingSystem({ instructions, messages }: TurnRequest): {
  readonly texts: readonly string[]
  readonly from: number
} {
  const texts = instructions === undefined ? [] : [instructions]
  let from = 0
  for (const message of messages) {
    if (message.role !== 'system') break
    texts.push(message.content)
    from++
  }
  return { texts: texts.filter((text) => text.trim() !== ''), from }
}
