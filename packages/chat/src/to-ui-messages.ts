import {
  visibleMessages,
  type AssistantMessage,
  type Citation,
  type PendingCall,
  type ToolCallPart,
  type ToolOutput,
  type Transcript,
  type UserMessage,
} from '@steploop/core'
import type { UiMessage, UiPart, UiToolPart } from './ui-message.ts'
import {
  answerable,
  approvalIdOf,
  fileOf,
  invalidText,
  outcomeOf,
  refusalOf,
  sourcesOf,
  type UiPartOptions,
} from './ui-parts.ts'
import { safeErrorText } from './ui-texts.ts'

export interface ToUiMessagesOptions extends UiPartOptions {
  /** Ids of the messages, in order; where there are fewer, those of the last ones. Default: made of the transcript's id and a number. */
  readonly ids?: readonly string[] | undefined
  /** What was shown as the input of calls that wait no more, by call id, where that is not what the model wrote. */
  readonly inputs?: Readonly<Record<string, unknown>> | undefined
}

/**
 * The stored conversation as messages of a page: what the user said, and all that was done until the user spoke again as one assistant
 * message. It has the parts that a page gets by reading the chunks of the runs, but for data parts of tool states.
 */
export function toUiMessages(transcript: Transcript, options: ToUiMessagesOptions = {}): UiMessage[] {
  const context: PartContext = {
    ...options,
    errorText: safeErrorText(options.errorText),
    pending: new Map(answerable(transcript.pendingCalls).map((call) => [call.toolCallId, call])),
    outputs: outputsIn(transcript),
  }
  const groups: { role: UiMessage['role']; parts: UiPart[] }[] = []
  let step = 0
  for (const message of visibleMessages(transcript)) {
    if (message.role === 'user') groups.push({ role: 'user', parts: userParts(message, options) })
    if (message.role !== 'assistant') continue
    const last = groups.at(-1)
    const parts = stepParts(message, step++, context)
    if (last?.role === 'assistant') last.parts.push(...parts)
    else if (parts.length > 0) groups.push({ role: 'assistant', parts: [...parts] })
  }
  const { ids = [] } = options
  const offset = groups.length - ids.length
  return groups.map((group, index) => ({ id: ids[index - offset] ?? `${transcript.id}.${index}`, ...group }))
}

interface PartContext extends Required<Pick<UiPartOptions, 'errorText'>>, ToUiMessagesOptions {
  readonly errorText: NonNullable<UiPartOptions['errorText']>
  readonly pending: ReadonlyMap<string, PendingCall>
  readonly outputs: ReadonlyMap<string, ToolOutput>
}

function outputsIn({ messages }: Transcript): ReadonlyMap<string, ToolOutput> {
  const outputs = new Map<string, ToolOutput>()
  for (const { role, content } of messages) {
    if (role !== 'assistant' && role !== 'tool') continue
    for (const part of content) if (part.type === 'tool-result') outputs.set(part.toolCallId, part.output)
  }
  return outputs
}

function userParts({ content }: UserMessage, { fileUrl }: UiPartOptions): UiPart[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  return content.flatMap((part): readonly UiPart[] => {
    if (part.type === 'text') return [{ type: 'text', text: part.text }]
    const file = fileOf(part, fileUrl)
    return file === undefined ? [] : [{ ...file, ...(part.filename !== undefined && { filename: part.filename }) }]
  })
}

/** A step without anything to show is none. */
function stepParts({ content }: AssistantMessage, step: number, context: PartContext): readonly UiPart[] {
  const parts: UiPart[] = []
  const refusals: string[] = []
  const citations: Citation[] = []
  for (const part of content) {
    switch (part.type) {
      case 'text':
        citations.push(...(part.citations ?? []))
        parts.push({ type: 'text', text: part.text, state: 'done' })
        break
      case 'reasoning':
        parts.push({ type: 'reasoning', text: part.text, state: 'done' })
        break
      case 'refusal':
        refusals.push(part.text)
        parts.push({ type: 'text', text: part.text, state: 'done' })
        break
      case 'file': {
        const file = fileOf(part, context.fileUrl)
        if (file !== undefined) parts.push(file)
        break
      }
      case 'tool-call':
        parts.push(toolPart(part, context))
        break
      case 'opaque':
      case 'tool-result':
        break
    }
  }
  const all = [...parts, ...refusals.map(refusalOf), ...sourcesOf(citations, step)]
  return all.length === 0 ? [] : [{ type: 'step-start' }, ...all]
}

function toolPart(call: ToolCallPart, { inputs, isDynamic, errorText, pending, outputs }: PartContext): UiToolPart {
  const { toolCallId, toolName, owner } = call
  const waiting = pending.get(toolCallId)
  const written = call.invalid === undefined ? call.input : call.inputText
  const common = {
    ...(isDynamic?.(toolName) === true
      ? { type: 'dynamic-tool' as const, toolName }
      : { type: `tool-${toolName}` as const }),
    toolCallId,
    ...(owner === 'provider' && { providerExecuted: true as const }),
    input: waiting?.input ?? (inputs && Object.hasOwn(inputs, toolCallId) ? inputs[toolCallId] : written),
  }
  const output = outputs.get(toolCallId)
  if (output !== undefined) {
    const outcome = outcomeOf(output, errorText)
    if (outcome.state !== 'output-denied') return { ...common, ...outcome }
    return { ...common, ...outcome, approval: { id: toolCallId, approved: false } }
  }
  if (waiting?.reason === 'approval')
    return { ...common, state: 'approval-requested', approval: { id: approvalIdOf(waiting) } }
  if (call.invalid === undefined) return { ...common, state: 'input-available' }
  return { ...common, state: 'output-error', errorText: invalidText(call, errorText) }
}
