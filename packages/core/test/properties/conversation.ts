import { callerCalls } from '../../src/transcript/history.ts'
import type {
  AssistantMessage,
  Message,
  ToolCallPart,
  ToolOutput,
  ToolResultPart,
  ProviderMetadata,
} from '../../src/contract/messages.ts'
import { transcriptOf, type Observation, type RunRecord } from './observation.ts'
import type { Attempt } from './world.ts'

/** An assistant message with the results of its calls. */
export interface Exchange {
  readonly message: AssistantMessage
  readonly calls: readonly ToolCallPart[]
  readonly results: readonly ToolResultPart[]
}

export function exchangesOf(messages: readonly Message[]): readonly Exchange[] {
  return messages.flatMap((message, index) => {
    if (message.role !== 'assistant') return []
    const next = messages[index + 1]
    return [{ message, calls: callerCalls(message), results: next?.role === 'tool' ? next.content : [] }]
  })
}

/** What is wrong with the pairing of calls and results; the last message may leave `open` calls unanswered. */
export function pairingProblems(messages: readonly Message[], open: readonly string[] = []): readonly string[] {
  const problems: string[] = []
  const ids = new Set<string>()
  for (const [index, message] of messages.entries()) {
    const before = messages[index - 1]
    if (message.role === 'tool' && before?.role !== 'assistant') problems.push(`message ${index} answers nothing`)
    if (message.role !== 'assistant') continue
    const calls = callerCalls(message).map((call) => call.toolCallId)
    const next = messages[index + 1]
    const answered = next?.role === 'tool' ? next.content.map((result) => result.toolCallId) : []
    const isLast = index >= messages.length - 2
    const expected = isLast ? calls.filter((id) => !open.includes(id)) : calls
    if (expected.join() !== answered.join())
      problems.push(`message ${index} calls [${expected.join()}], answered are [${answered.join()}]`)
    for (const id of calls) {
      if (ids.has(id)) problems.push(`call id ${id} stands twice`)
      ids.add(id)
    }
  }
  return problems
}

/** The assistant messages of a run with the requests that they answered; `undefined` when an edit hides them. */
export function acceptedTurns(run: RunRecord, observation: Observation): readonly (Exchange & Accepted)[] | undefined {
  const messages = transcriptOf(run.outcome)?.messages
  if (messages === undefined || observation.log.editedRuns.has(run.run) || run.continuation.kind === 'misuse') {
    return undefined
  }
  const known = run.continuation.start.filter((message) => message.role === 'assistant').length
  const fresh = exchangesOf(messages).slice(known)
  const answered = fresh.filter(({ message }) => message.provider !== undefined)
  const attempts = observation.attempts.filter((attempt) => attempt.run === run.run && attempt.finished)
  return answered.flatMap((exchange, index) => {
    const attempt = attempts[index]
    return attempt === undefined ? [] : [{ ...exchange, attempt }]
  })
}

export interface Accepted {
  readonly attempt: Attempt
}

export function errorCodeOf(output: ToolOutput | undefined): string | undefined {
  return output?.type === 'error' ? output.value.code : undefined
}

/** All payloads of a conversation, in order. */
export function payloadsIn(messages: readonly Message[]): readonly ProviderMetadata[] {
  return messages.flatMap((message) => {
    if (message.role !== 'assistant') return []
    return message.content.flatMap((part) =>
      'providerMetadata' in part && part.providerMetadata !== undefined ? [part.providerMetadata] : [],
    )
  })
}

export function attemptsOf(run: RunRecord, observation: Observation): readonly Attempt[] {
  return observation.attempts.filter((attempt) => attempt.run === run.run)
}
