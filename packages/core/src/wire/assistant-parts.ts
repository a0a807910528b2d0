import type { JsonObject } from './json.ts'
import { isObject, objectOf } from './json.ts'
import type { AssistantMessage, AssistantPart, OpaquePart, ReasoningPart, ToolCallPart } from '../contract/messages.ts'
import type { Warn } from './encode-once.ts'

/** Where the parts of an assistant message go in a format that has one slot for each kind. */
export interface AssistantSlots {
  /** `Adapter.provider`: thoughts of others are not sent to it. */
  readonly provider: string
  /** What warnings call the API. */
  readonly label: string
  text(text: string): void
  reasoning(part: ReasoningPart): void
  /** A call of the caller's; arguments that are no object are `{}`. */
  call(part: ToolCallPart, input: JsonObject): void
  /** A block of the provider's own, which goes back as it came. Default: there is no place for it. */
  opaque?(part: OpaquePart): void
}

/** Deals the parts of an assistant message out. What the format has no place for becomes text or is left out, with a warning. */
export function fillSlots(message: AssistantMessage, slots: AssistantSlots, warn: Warn): void {
  for (const [index, part] of message.content.entries()) {
    fillSlot(part, message, slots, (type, text) => {
      warn({ type, path: `assistant.content[${index}]`, message: text })
    })
  }
}

function fillSlot(
  part: AssistantPart,
  message: AssistantMessage,
  slots: AssistantSlots,
  warn: (type: 'dropped' | 'coerced', message: string) => void,
): void {
  const { provider, label } = slots
  switch (part.type) {
    case 'text':
      return slots.text(part.text)
    case 'refusal':
      slots.text(part.text)
      return warn('coerced', `${label} knows no refusals; the refusal is sent as text`)
    case 'reasoning':
      if ((message.provider ?? provider) === provider) return slots.reasoning(part)
      return warn('dropped', `reasoning of ${message.provider} is not sent to ${provider}`)
    case 'tool-call':
      if (part.owner === 'provider') {
        return warn('dropped', `${label} takes no calls that a provider ran itself; '${part.toolName}' is left out`)
      }
      if (part.invalid !== undefined || !isObject(part.input)) {
        warn('coerced', `the arguments of '${part.toolName}' were not usable and are sent back as {}`)
      }
      return slots.call(part, objectOf(part.input))
    case 'file':
      return warn('dropped', 'a file has no place in an assistant message')
    case 'opaque':
      if (slots.opaque !== undefined && part.providerMetadata.provider === provider) return slots.opaque(part)
      return warn('dropped', `a block of ${part.providerMetadata.provider} means nothing to ${provider}`)
    case 'tool-result': // Goes with its call, which a provider ran.
      return
    default:
      part satisfies never
  }
}
