import type { AssistantMessage, Message, ToolCallPart, ToolResultPart } from '../../../src/contract/messages.ts'
import type { PendingCall, Transcript } from '../../../src/contract/transcript.ts'
import type { TamperKind } from './draw.ts'

/** What no honest run can have made: refused before anything runs. The rest may be run, if only it runs nothing that nobody decided. */
export const refusedTampers: readonly TamperKind[] = [
  'call-twice',
  'exchange-twice',
  'orphan-result',
  'orphan-message',
  'approval-for-none',
  'reason-flipped',
  'input-changed',
  'pending-input-changed',
  'both-inputs-changed',
]

/** Those that alter what an approval is about: without one they do no harm. */
export const approvalTampers: readonly TamperKind[] = [
  'approval-for-none',
  'reason-flipped',
  'input-changed',
  'pending-input-changed',
  'both-inputs-changed',
]

/** The transcript as somebody changed it in the store; `undefined`: there is nothing to change. `given` is a copy. */
export function tampered(kind: TamperKind, given: Transcript, freeTool: string | undefined): Transcript | undefined {
  const { messages, pendingCalls: pending } = given
  const made = changes[kind](messages.slice(), pending.slice(), freeTool)
  return made === undefined ? undefined : { ...given, ...made }
}

type Changed = Partial<Pick<Transcript, 'messages' | 'pendingCalls'>>
type Change = (messages: Message[], pending: PendingCall[], freeTool: string | undefined) => Changed | undefined

const changes: Readonly<Record<TamperKind, Change>> = {
  'call-twice': (messages, [pending]) =>
    pending &&
    changeCall(messages, pending.toolCallId, (call) => [{ ...call, input: other, inputText: otherText }, call]),
  'exchange-twice': (messages) => {
    const index = messages.findIndex((message, at) => callsOf(message).length > 0 && messages[at + 1]?.role === 'tool')
    return index < 0 ? undefined : { messages: messages.toSpliced(index, 0, ...messages.slice(index, index + 2)) }
  },
  'message-twice': (messages) => {
    const index = messages.findIndex(({ role }) => role === 'user')
    return index < 0 ? undefined : { messages: messages.toSpliced(index, 0, ...messages.slice(index, index + 1)) }
  },
  'orphan-result': (messages) => {
    const index = messages.findLastIndex(({ role }) => role === 'tool')
    const message = messages[index]
    if (message?.role !== 'tool') return undefined
    return { messages: messages.with(index, { ...message, content: [...message.content, orphan] }) }
  },
  'orphan-message': (messages, pending) => {
    const index = messages.findLastIndex(({ role }) => role === 'user')
    if (index < 0 || pending.length > 0) return undefined
    return { messages: messages.toSpliced(index + 1, 0, { role: 'tool', content: [orphan] }) }
  },
  'approval-for-none': (messages, pending, freeTool) => {
    const call = messages.flatMap(callsOf).findLast(({ toolName, owner }) => toolName === freeTool && owner === 'loop')
    const index = messages.findLastIndex((message) => callsOf(message).some((own) => own === call))
    if (call === undefined || pending.length > 0 || call.invalid !== undefined) return undefined
    const { toolCallId, toolName, input } = call
    const waiting: PendingCall = { toolCallId, toolName, input, reason: 'approval' }
    return { messages: withoutResult(messages.slice(0, index + 2), toolCallId), pendingCalls: [waiting] }
  },
  'reason-flipped': (_messages, [first, ...rest]) =>
    first?.reason === 'approval' ? { pendingCalls: [{ ...first, reason: 'client-tool' }, ...rest] } : undefined,
  'input-changed': (messages, [first]) =>
    first?.reason === 'approval'
      ? changeCall(messages, first.toolCallId, (call) => [{ ...call, input: other, inputText: otherText }])
      : undefined,
  'pending-input-changed': (_messages, [first, ...rest]) =>
    first?.reason === 'approval' ? { pendingCalls: [{ ...first, input: other }, ...rest] } : undefined,
  'both-inputs-changed': (messages, [first, ...rest]) => {
    if (first?.reason !== 'approval') return undefined
    const changed = changeCall(messages, first.toolCallId, (call) => [{ ...call, input: other, inputText: otherText }])
    return { ...changed, pendingCalls: [{ ...first, input: other }, ...rest] }
  },
  'pending-twice': (_messages, [first, ...rest]) => first && { pendingCalls: [first, first, ...rest] },
  'pending-gone': (_messages, [first, ...rest]) => first && { pendingCalls: rest },
  redacted: (messages) => {
    const index = messages.findIndex(({ role }) => role === 'user')
    return index < 0 ? undefined : { messages: messages.with(index, { role: 'user', content: '[redacted]' }) }
  },
  'nested-redacted': (messages) => {
    const index = messages.findIndex((message) => message.role === 'tool' && messages.indexOf(message) > 0)
    const message = messages[index]
    if (message?.role !== 'tool' || index >= messages.length - 1) return undefined
    const content = message.content.map((part): ToolResultPart => ({
      ...part,
      output: { type: 'text', value: 'gone' },
    }))
    return { messages: messages.with(index, { role: 'tool', content }) }
  },
  'first-gone': (messages) => (messages.length > 2 ? { messages: messages.slice(1) } : undefined),
  reordered: (messages) => {
    const last = messages.at(-1)
    return last === undefined || messages.length < 3 ? undefined : { messages: [last, ...messages.slice(0, -1)] }
  },
}

/** An input that no draw has. */
const other = { n: 4242 }
const otherText = JSON.stringify(other)

const orphan: ToolResultPart = {
  type: 'tool-result',
  toolCallId: 'orphan',
  toolName: 't0',
  output: { type: 'text', value: 'nobody asked for this' },
}

function callsOf(message: Message): readonly ToolCallPart[] {
  return message.role === 'assistant' ? message.content.filter((part) => part.type === 'tool-call') : []
}

function changeCall(
  messages: readonly Message[],
  id: string,
  change: (call: ToolCallPart) => readonly ToolCallPart[],
): Changed {
  const changed = messages.map((message): Message => {
    if (message.role !== 'assistant') return message
    const content = message.content.flatMap((part): AssistantMessage['content'] =>
      part.type === 'tool-call' && part.toolCallId === id ? change(part) : [part],
    )
    return { ...message, content }
  })
  return { messages: changed }
}

function withoutResult(messages: readonly Message[], id: string): readonly Message[] {
  return messages.flatMap((message): readonly Message[] => {
    if (message.role !== 'tool') return [message]
    const content = message.content.filter(({ toolCallId }) => toolCallId !== id)
    return content.length === 0 ? [] : [{ ...message, content }]
  })
}
