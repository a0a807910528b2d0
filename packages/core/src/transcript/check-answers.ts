import { LoopError } from '../contract/errors.ts'
import { isObject } from '../wire/json.ts'
import type { ToolSet } from '../tools/tool.ts'
import type { PendingCall, Transcript, ClientToolOutput, ToolAnswer } from '../contract/transcript.ts'

/** `*` decides every approval that has no answer of its own. Without any such it stays, and is refused like any unknown id. */
export function withEveryApproval(
  given: Readonly<Record<string, ToolAnswer>>,
  pendingCalls: readonly PendingCall[],
): Readonly<Record<string, ToolAnswer>> {
  const { '*': answer, ...own } = given
  const common: unknown = answer
  // A provider, or a model whose text is parsed into calls, may name a call so: its answer is for no other one.
  if (common === undefined || pendingCalls.some(({ toolCallId }) => toolCallId === '*')) return given
  if (!isObject(common) || typeof common['approved'] !== 'boolean') throw invalidCommon('is no decision on approvals')
  const open = pendingCalls.filter(({ reason, toolCallId: id }) => reason === 'approval' && !Object.hasOwn(own, id))
  if (open.length === 0) return given
  if (open.length > 1 && common['input'] !== undefined) throw invalidCommon('has one `input` for several calls')
  return { ...Object.fromEntries(open.map(({ toolCallId }) => [toolCallId, answer])), ...own } as Readonly<
    Record<string, ToolAnswer>
  >
}

function invalidCommon(what: string): LoopError {
  const fix = 'Give { approved: true or false }, and changed input by call id.'
  return new LoopError('invalid-input', `The answer '*' in \`toolOutputs\` ${what}. ${fix}`)
}

/** Nothing has happened yet: whoever gives a wrong answer gets the transcript back as it is. */
export function checkAnswers(
  transcript: Transcript,
  answers: Readonly<Record<string, ToolAnswer>>,
  tools: ToolSet,
): void {
  const { pendingCalls } = transcript
  for (const [id, answer] of Object.entries(answers)) {
    const pending = pendingCalls.find((call) => call.toolCallId === id)
    const problem = pending === undefined ? notPending(id, pendingCalls) : answerProblem(pending, answer)
    if (problem !== undefined) throw new LoopError('invalid-input', problem, { transcript })
    if (pending !== undefined) checkOwner(transcript, pending, tools)
  }
}

/** What no run can have left: an approval that the tool does not ask for, or a caller's answer to a tool that the loop runs. */
function checkOwner(transcript: Transcript, { toolCallId: id, toolName, reason }: PendingCall, tools: ToolSet): void {
  const tool = tools[toolName]
  if (tool?.type !== 'function') return
  const { execute, needsApproval } = tool
  const asks = execute !== undefined && needsApproval !== undefined && needsApproval !== false
  if (reason === 'approval' ? asks : execute === undefined) return
  const whom = reason === 'approval' ? 'an approval' : 'the caller'
  const message = `Call '${id}' of '${toolName}' waits for ${whom}, which the tool does not ask for. Give the transcript back unchanged, to a loop with its tools.`
  throw new LoopError('invalid-transcript', message, { transcript })
}

function notPending(id: string, pendingCalls: readonly PendingCall[]): string {
  const waiting = pendingCalls.map((call) => call.toolCallId).join(', ') || 'none'
  return `\`toolOutputs\` answers call '${id}', which is not pending. Pending calls: ${waiting}.`
}

export function isClientToolOutput(answer: unknown): answer is ClientToolOutput {
  if (!isObject(answer) || 'approved' in answer) return false
  return 'output' in answer || typeof answer['error'] === 'string'
}

const approvalNames: readonly string[] = ['approved', 'input', 'reason', 'hash']

function answerProblem(pending: PendingCall, answer: unknown): string | undefined {
  const { toolCallId: id, toolName, reason } = pending
  const what = `The answer to call '${id}'`
  if (reason === 'client-tool') {
    if (isClientToolOutput(answer)) return undefined
    return `${what} is none: '${toolName}' waits for its output. Answer with { output } or { error: text }.`
  }
  if (!isObject(answer) || typeof answer['approved'] !== 'boolean') {
    return `${what} is none: '${toolName}' waits for an approval. Answer with { approved: true or false }.`
  }
  const unknownName = Object.keys(answer).find((name) => !approvalNames.includes(name))
  if (unknownName !== undefined)
    return `${what} has the member '${unknownName}'. It takes: ${approvalNames.join(', ')}.`
  if (answer['input'] !== undefined && !isObject(answer['input'])) return `${what} has an \`input\` that is no object.`
  if (answer['hash'] === undefined || answer['hash'] === pending.hash) return undefined
  return `${what} has the \`hash\` of another call or other arguments. Show the pending call again.`
}
