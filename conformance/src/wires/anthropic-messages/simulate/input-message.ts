import { objectsAt, textAt } from '../../simulate/fields.ts'
import type { JsonObject } from '../../simulate/wire-simulation.ts'

/** A message of a request, with its content as blocks: a plain text is one block. */
export interface InputMessage {
  readonly role: string
  readonly blocks: readonly JsonObject[]
}

/** The messages of a request whose shape is checked. An empty plain text gives no block. */
export function inputMessages(request: JsonObject): readonly InputMessage[] {
  return objectsAt(request, 'messages').map((message) => {
    const { content } = message
    const text = typeof content === 'string' && content !== '' ? [{ type: 'text', text: content }] : []
    return { role: textAt(message, 'role'), blocks: [...text, ...objectsAt(message, 'content')] }
  })
}
