import { described } from '../described.ts'
import { AdapterError, LoopError, type ToolCallPart, type Usage } from '@steploop/core'
import type { AssistantPart, TurnEvent } from '@steploop/core/adapter'
import { unless, type Check, type Failure } from '../check.ts'
import type { RunRecord } from '../evidence.ts'
import { stepsOf } from './trace/trace.ts'
import { canonicalJson } from '../json.ts'

/** First of all: without it nothing else means much. */
export const settles: Check = {
  id: 'settles',
  sentence: 'Every run settles, rejects with a LoopError only, and the scenario gets to its end.',
  judge: ({ runs, stopped }) => {
    const rejected = runs
      .filter(({ error }) => error !== undefined && !LoopError.isInstance(error))
      .map(({ error, number }) => ({ message: `it rejected with ${described(error)}`, where: `run ${number}` }))
    if (stopped === undefined || runs.some(({ error }) => error === stopped)) return rejected
    const started = runs.at(-1)
    const because = started?.error === undefined ? '' : ` The last run failed with ${described(started.error)}`
    return [
      ...rejected,
      { message: `the scenario stopped: ${described(stopped)}${because}`, where: `after run ${runs.length}` },
    ]
  },
}

export const asRecorded: Check = {
  id: 'as-recorded',
  sentence: 'Every request is one that the cassette holds, and every recorded exchange is asked for.',
  judge: ({ replayProblems }) => replayProblems.map((message) => ({ message })),
}

export const usageAddsUp: Check = {
  id: 'usage-adds-up',
  sentence: 'Each answered turn has usage, and the usage of a run is the sum of its turns.',
  judge: (evidence) => evidence.runs.flatMap((run) => usageFailures(run)),
}

const counts = ['inputTokens', 'outputTokens', 'cachedInputTokens', 'cacheWriteTokens', 'reasoningTokens'] as const

function usageFailures(run: RunRecord): readonly Failure[] {
  const { result } = run
  if (result === undefined) return []
  const missing = result.steps
    .filter(({ usage }) => usage?.inputTokens === undefined || usage.outputTokens === undefined)
    .map(({ number }) => ({
      message:
        'its `turn-end` has no `usage` with `inputTokens` and `outputTokens`; take both from the response, in a stream from wherever they come',
      where: `run ${run.number}, step ${number + 1}`,
    }))
  const wrong = counts.flatMap((count) => {
    // Turns, not steps: a turn whose step was not finished was paid for all the same.
    const sum = turnUsages(run).reduce((total, usage) => total + (usage?.[count] ?? 0), 0)
    const reported = result.usage?.[count] ?? 0
    return reported === sum
      ? []
      : [{ message: `${count} is ${reported}; its turns add up to ${sum}`, where: `run ${run.number}` }]
  })
  const tooLarge = result.steps.flatMap(({ usage = {}, number }) =>
    subCounts(usage).map((message) => ({ message, where: `run ${run.number}, step ${number + 1}` })),
  )
  return [...missing, ...wrong, ...tooLarge]
}

/** Sub-counts are part of what they are counted under. */
function subCounts(usage: Usage): readonly string[] {
  const { inputTokens = 0, outputTokens = 0, cachedInputTokens = 0, cacheWriteTokens = 0, reasoningTokens = 0 } = usage
  const cached = cachedInputTokens + cacheWriteTokens
  return [
    ...(cached > inputTokens
      ? [`${cached} cached input tokens of ${inputTokens} input tokens: \`inputTokens\` includes cached ones`]
      : []),
    ...(reasoningTokens > outputTokens
      ? [`${reasoningTokens} reasoning tokens of ${outputTokens} output tokens: \`outputTokens\` includes reasoning`]
      : []),
  ]
}

function turnUsages({ turns }: RunRecord): readonly (Usage | undefined)[] {
  return turns.map(({ events }) => events.find((event) => event.type === 'turn-end')?.usage)
}

export const runsOnce: Check = {
  id: 'runs-once',
  sentence:
    'Each call of a loop-owned tool that was not refused runs exactly once, with the input that the model gave; nothing else runs.',
  judge: (evidence) => evidence.runs.flatMap((run) => executionFailures(run)),
}

function executionFailures(run: RunRecord): readonly Failure[] {
  const unmatched = [...run.executions]
  const failures: Failure[] = []
  for (const call of [...callsToRun(run), ...approvedCalls(run)]) {
    const input = canonicalJson(call.input)
    const at = unmatched.findIndex(
      (one) =>
        one.toolCallId === call.toolCallId && one.toolName === call.toolName && canonicalJson(one.input) === input,
    )
    if (at === -1) {
      failures.push({
        message: `${call.toolName} ${input} (${call.toolCallId}) was called and never ran under this id`,
        where: `run ${run.number}`,
      })
    } else unmatched.splice(at, 1)
  }
  const extra = unmatched.map(({ toolName, input, toolCallId }) => ({
    message: `${toolName} (${toolCallId}) ran with ${canonicalJson(input)}, which no call of the model asks for (or once too often)`,
    where: `run ${run.number}`,
  }))
  return [...failures, ...extra]
}

/** Error outputs of calls that ran; any other error says that the call was answered without running. */
const codesOfExecutions: ReadonlySet<string> = new Set(['tool-failed', 'tool-timeout', 'aborted'])

/** What the run that came before left pending, as the caller approved it. */
export function approvedCalls({
  input,
}: RunRecord): readonly Pick<ToolCallPart, 'toolCallId' | 'toolName' | 'input'>[] {
  if (typeof input === 'string' || !('transcript' in input) || input.transcript === undefined) return []
  return input.transcript.pendingCalls.flatMap(({ toolCallId, toolName, input: asked }) => {
    const given = input.toolOutputs?.[toolCallId]
    if (given === undefined || !('approved' in given) || !given.approved) return []
    return [{ toolCallId, toolName, input: given.input ?? asked }]
  })
}

function callsToRun(run: RunRecord): readonly ToolCallPart[] {
  return stepsOf(run).flatMap(({ parts, results }) =>
    parts
      .filter((part) => part.type === 'tool-call')
      .filter((call) => call.owner === 'loop' && call.invalid === undefined)
      .filter(({ toolCallId }) => {
        const output = results.find((result) => result.toolCallId === toolCallId)?.output
        return output !== undefined && (output.type !== 'error' || codesOfExecutions.has(output.value.code))
      }),
  )
}

export const resultsInOrder: Check = {
  id: 'results-in-order',
  sentence: 'Results of a step pair with its calls by id, in call order, each once; what has none is pending.',
  judge: (evidence) => evidence.runs.flatMap((run) => orderFailures(run)),
}

function orderFailures(run: RunRecord): readonly Failure[] {
  const { result } = run
  if (result === undefined) return []
  const pending = new Set(result.transcript.pendingCalls.map(({ toolCallId }) => toolCallId))
  return result.steps.flatMap((step) => {
    const calls = step.toolCalls.filter(({ owner }) => owner !== 'provider').map(({ toolCallId }) => toolCallId)
    const expected = calls.filter((id) => !pending.has(id))
    const got = step.toolResults.map(({ toolCallId }) => toolCallId)
    if (got.join('\n') === expected.join('\n')) return []
    const message = `the results answer [${got.join(', ')}]; the calls to answer are [${expected.join(', ')}]`
    return [{ message, where: `run ${run.number}, step ${step.number + 1}` }]
  })
}

export const newIds: Check = {
  id: 'new-ids',
  sentence: 'An id that an adapter makes for a call is like none of an earlier turn of the conversation.',
  notSeen: ({ received }) => (received === undefined ? 'a `turnScript` gets no responses' : undefined),
  judge: ({ runs, received = '' }) =>
    runs.flatMap((run) =>
      run.turns.flatMap(({ events, request: { messages } }, index) => {
        const before = messages.flatMap((message) => (message.role === 'assistant' ? callIds(message.content) : []))
        return callIds(events)
          .filter((id) => before.includes(id) && !standsIn(received, id))
          .map((id) => ({
            message: `the call id '${id}' stands in no response, and an earlier call has it; make ids from \`turn\``,
            where: `run ${run.number}, turn ${index + 1}`,
          }))
      }),
    ),
}

function callIds(parts: readonly (TurnEvent | AssistantPart)[]): readonly string[] {
  return parts.flatMap((part) => (part.type === 'tool-call' ? [part.toolCallId] : []))
}

/** Whether it stands there as a whole word. */
function standsIn(text: string, id: string): boolean {
  const between = text.split(id)
  return between.some((before, at) => /\W$/.test(before) && /^\W/.test(between[at + 1] ?? ''))
}

export const inputUntouched: Check = {
  id: 'input-untouched',
  sentence: 'An adapter leaves the request that it is given, messages and all, as it is.',
  judge: ({ runs }) =>
    runs.flatMap((run) =>
      run.turns.flatMap(({ isMeddled }, index) => {
        if (isMeddled !== true) return []
        const message =
          'the adapter changed the request, or a message in it; the history is shared with the caller and with later turns, so change a copy'
        return [{ message, where: `run ${run.number}, turn ${index + 1}` }]
      }),
    ),
}

export const namesItsOrigin: Check = {
  id: 'names-its-origin',
  sentence:
    'Every step, every assistant message that a turn made, and every error of an adapter names the provider and the model.',
  judge: ({ runs, subject }) =>
    runs.flatMap((run) => [
      ...(run.result?.steps ?? [])
        .filter(({ message }) => message.provider !== subject.provider || message.model !== subject.model)
        .map(({ message, number }) => ({
          message: `it is of '${message.provider}/${message.model}', not '${subject.provider}/${subject.model}'`,
          where: `run ${run.number}, step ${number + 1}`,
        })),
      ...run.turns
        .map(({ error }, index) => ({ error, where: `run ${run.number}, turn ${index + 1}` }))
        .filter(({ error }) => AdapterError.isInstance(error) && (error.provider !== subject.provider || !error.model))
        .map(({ error, where }) => ({ message: `${described(error)} does not say of whom it is`, where })),
    ]),
}

export const toldAsSent: Check = {
  id: 'told-as-sent',
  sentence: 'A finish reason and a model are words of the provider, and a model that it names is told.',
  notSeen: ({ received }) => (received === undefined ? 'a `turnScript` gets no responses' : undefined),
  judge: ({ runs, subject: { model }, received = '' }) =>
    runs.flatMap((run) =>
      run.turns.flatMap(({ events }, index) => {
        const end = events.find(({ type }) => type === 'turn-end')
        if (end?.type !== 'turn-end') return []
        const start = events.find(({ type }) => type === 'turn-start')
        const told = end.model ?? (start?.type === 'turn-start' ? start.model : undefined)
        const where = `run ${run.number}, turn ${index + 1}`
        const words = { 'raw finish reason': end.rawFinishReason ?? '', model: told ?? '' }
        return [
          ...Object.entries(words).flatMap(([what, word]) =>
            unless(received.includes(word), `the ${what} '${word}' stands in no response`, where),
          ),
          ...unless(
            told !== undefined || !received.includes(JSON.stringify(model)),
            `the response names the model '${model}', and the turn none`,
            where,
          ),
        ]
      }),
    ),
}
