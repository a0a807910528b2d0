import { toJsonValue, type FilePart, type Message, type ToolDefinition, type ToolOutput } from '@steploop/core/adapter'
import { finishReasonName } from './names.ts'
import { fitText } from './fit-text.ts'
import { safely } from './safely.ts'

/** What content is, for `redact`. */
export type ContentKind =
  | 'system-instructions'
  | 'input-messages'
  | 'output-messages'
  | 'tool-definitions'
  | 'tool-arguments'
  | 'tool-result'

/** Gives what is exported in place of `value`, plain data in the conventions' form; `undefined`: nothing. */
export type Redact = (kind: ContentKind, value: unknown) => unknown

export interface ContentOptions {
  readonly redact: Redact | undefined
  readonly maxLength: number
}

/** Ready to be exported: short enough, and what `redact` made of it. `undefined` where it gave nothing, a promise, or failed. */
export function exportable(
  kind: ContentKind,
  value: unknown,
  { redact, maxLength }: ContentOptions,
): string | undefined {
  return safely(() => {
    // A copy: what a tool gets does not change, or the history.
    const redacted = redact === undefined ? value : safely(() => redact(kind, toJsonValue(value)))
    return redacted === undefined ? undefined : fitText(redacted, maxLength)
  })
}

export function instructionsOf(instructions: string): unknown {
  return [{ type: 'text', content: instructions }]
}

export function messagesOf(messages: readonly Message[]): readonly object[] {
  return messages.map((message) => ({ role: message.role, parts: partsOf(message) }))
}

/** `reason` where the conventions want it in the message. */
export function answerOf(message: Message, reason?: string): unknown {
  const finish = reason !== undefined && { finish_reason: finishReasonName(reason) }
  return messagesOf([message]).map((converted) => ({ ...converted, ...finish }))
}

export function definitionsOf(tools: readonly ToolDefinition[]): unknown {
  return tools.map((tool) =>
    tool.type === 'function'
      ? { type: 'function', name: tool.name, description: tool.description, parameters: tool.inputSchema }
      : { type: 'provider', name: tool.name },
  )
}

export function outputValue(output: ToolOutput): unknown {
  if (output.type !== 'content') return output.value
  return output.value.map((part) => (part.type === 'file' ? describeFile(part) : { type: 'text', content: part.text }))
}

type Parts = Exclude<Message['content'], string>[number]

function partsOf(message: Message): readonly object[] {
  if (typeof message.content === 'string') return [{ type: 'text', content: message.content }]
  return message.content.flatMap((part) => partOf(part) ?? [])
}

function partOf(part: Parts): object | undefined {
  switch (part.type) {
    case 'text':
    case 'reasoning':
    case 'refusal':
      return { type: part.type, content: part.text }
    case 'file':
      return describeFile(part)
    case 'tool-call': {
      const { toolCallId: id, toolName: name, owner } = part
      const args = part.input ?? part.inputText
      if (owner !== 'provider') return { type: 'tool_call', id, name, arguments: args }
      return { type: 'server_tool_call', id, name, server_tool_call: { type: name, arguments: args } }
    }
    case 'tool-result':
      return { type: 'tool_call_response', id: part.toolCallId, response: outputValue(part.output) }
    case 'opaque':
      return undefined
    default:
      return part satisfies never
  }
}

/** What it is and how large: neither its bytes nor where they can be fetched. */
function describeFile({ mediaType, data, filename }: FilePart): object {
  const modality = /^(image|audio|video)\//.exec(mediaType)?.[1] ?? 'document'
  const padding = data?.endsWith('==') ? 2 : Number(data?.endsWith('='))
  const size = data === undefined ? undefined : Math.floor(((data.length - padding) * 3) / 4)
  return { type: 'steploop.file', mime_type: mediaType, modality, byte_size: size, filename }
}
