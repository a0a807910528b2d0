import type { AssistantMessage, Message } from '../../../src/contract/messages.ts'
import { pairingProblems } from '../conversation.ts'
import { isDenied } from './application.ts'
import type { RequestRecord } from './ledger.ts'
import { decisionOn, editedInput } from './next-run.ts'
import { inputTextOf, responseIdOf } from './model.ts'
import type { DecisionObservation, RunRecord } from './play.ts'
import { mark, print } from './print.ts'
import {
  callsIn,
  executionsOf,
  grantOf,
  hasActed,
  isRefused,
  perRun,
  requestsOf,
  resultsIn,
  textIn,
  toolOf,
  type Check,
  type Problem,
} from './views.ts'

/** Whatever the application's code writes to, the conversation is what the model, the user and the loop said. */
export const historyIsTheLoops = perRun((run, observation) => {
  const requests = requestsOf(run, observation)
  const trimmed = observation.draw.app.trim !== undefined
  const problems: Problem[] = []
  for (const [index, request] of requests.entries()) {
    const detail = `request ${request.number}`
    if (print(request.messages).includes(mark)) problems.push({ kind: 'a request holds what others wrote', detail })
    const unpaired = pairingProblems(request.messages)
    if (unpaired.length > 0)
      problems.push({ kind: 'a request has calls without results', detail: `${detail}: ${unpaired.join()}` })
    const before = requests[index - 1]
    if (before !== undefined && !trimmed && !goesOnFrom(before, request))
      problems.push({ kind: 'the history changed between requests', detail })
  }
  if (print(run.ended).includes(mark)) problems.push({ kind: 'a transcript holds what others wrote', detail: '' })
  for (const { what, before, after } of run.objects) {
    if (before !== after) problems.push({ kind: 'somebody wrote to the objects of the caller', detail: what })
  }
  return [...problems, ...editsReachTheModel(run, observation)]
})

/** The model goes on from what ran: it is told where somebody else's arguments did. */
function editsReachTheModel(run: RunRecord, observation: DecisionObservation): readonly Problem[] {
  const messages = requestsOf(run, observation)[0]?.messages ?? []
  return executionsOf(run, observation).flatMap((execution): readonly Problem[] => {
    if (grantOf(execution, run) !== 'edited') return []
    const calls = messages.flatMap(callsIn).filter(({ toolCallId }) => toolCallId === execution.id)
    const results = resultsIn(messages).filter(({ toolCallId }) => toolCallId === execution.id)
    if (calls.length === 0 || print([calls, results]).includes(String(editedInput.n))) return []
    return [{ kind: 'the model is not told of an edited input', detail: `${execution.id} ran with ${execution.value}` }]
  })
}

function goesOnFrom(before: RequestRecord, after: RequestRecord): boolean {
  return print(after.messages.slice(0, before.messages.length)) === print(before.messages)
}

/** What nobody had touched when a run failed still waits, and all else is answered once. */
export const noCallIsLost = perRun((run, observation) => {
  const { ended } = run
  if (ended === undefined) return []
  const problems: Problem[] = []
  const pending = new Set(ended.pendingCalls.map(({ toolCallId }) => toolCallId))
  const unpaired = pairingProblems(ended.messages, [...pending])
  if (unpaired.length > 0 && !run.tampered && !isRefused(run))
    problems.push({ kind: 'a transcript has calls without results', detail: unpaired.join() })
  if (run.tampered || run.forged || hasActed(run, 'override', observation)) return problems
  const steady = !['deny', 'inactive', 'definition', 'always'].includes(run.change)
  for (const id of run.shown.keys()) {
    const open = decisionOn(id, run) === undefined && !run.draw?.prompt
    if (open && steady && !pending.has(id))
      problems.push({ kind: 'a call that waited is lost', detail: `${id} does not wait any more` })
  }
  return [...problems, ...lostInStep(run, observation)]
})

/** Calls of the last step that somebody outside was to answer, closed by a failure that had nothing to do with them. */
function lostInStep(run: RunRecord, observation: DecisionObservation): readonly Problem[] {
  const answered = requestsOf(run, observation).some(({ finished }) => finished)
  if (!answered || run.ended === undefined) return []
  const messages = run.ended.messages.slice(run.ended.messages.findLastIndex(({ role }) => role === 'assistant'))
  return resultsIn(messages).flatMap(({ toolCallId, toolName, output }) => {
    const waits = toolName === 'ask' || toolOf(toolName, run, observation)?.approval === 'always'
    const aborted = output.type === 'error' && output.value.code === 'aborted'
    const denied = observation.draw.app.deny || isDenied(toolName, run.change, observation.draw.app)
    const touched = run.shown.has(toolCallId) || executionsOf(run, observation).some(({ id }) => id === toolCallId)
    return waits && aborted && !denied && !touched
      ? [{ kind: 'a call that was to wait is lost', detail: `${toolName} as ${toolCallId} was answered \`aborted\`` }]
      : []
  })
}

/** A response is gone on from only while it is the answer to the very messages that stand before it. */
export const continuationFits: Check = ({ ledger }) =>
  ledger.requests.flatMap((request) => {
    const { continuation, messages, run } = request
    if (continuation === undefined) return []
    const { responseId, from } = continuation
    const source = ledger.requests.find(({ number }) => responseIdOf(number) === responseId)
    const known = source !== undefined && print(messages.slice(0, from - 1)) === print(source.messages)
    if (known && isAnswerOf(messages[from - 1], source)) return []
    const detail = `run ${run}: request ${request.number} goes on from ${responseId}`
    return [{ kind: 'a response of another history was gone on from', detail }]
  })

function isAnswerOf(message: Message | undefined, { turn }: RequestRecord): message is AssistantMessage {
  if (message?.role !== 'assistant') return false
  const text = turn.parts.map((part) => (part.type === 'text' ? part.text : '')).join('')
  const calls = turn.parts.flatMap((part) => (part.type === 'call' ? [`${part.tool} ${inputTextOf(part)}`] : []))
  const kept = callsIn(message).map(({ toolName, inputText }) => `${toolName} ${inputText}`)
  return textIn(message) === text && kept.join('\n') === calls.join('\n')
}
