import type { Failure } from '../check.ts'
import type { RunRecord } from '../evidence.ts'
import { canonicalJson } from '../json.ts'

export interface ExpectedCall {
  readonly toolName: string
  readonly input: Readonly<Record<string, unknown>>
}

/** The calls of the first step as (name, input), in order and each with an id of its own. */
export function callsAre(run: RunRecord | undefined, expected: readonly ExpectedCall[]): readonly Failure[] {
  const where = `run ${run?.number ?? 1}, step 1`
  const calls = run?.result?.steps[0]?.toolCalls ?? []
  const words = (list: readonly { readonly toolName: string; readonly input: unknown }[]): string =>
    list.map(({ toolName, input }) => `${toolName} ${canonicalJson(input)}`).join(', ') || 'none'
  if (words(calls) !== words(expected)) {
    const are = run?.result === undefined ? 'missing, because the run failed' : words(calls)
    return [{ message: `the calls are ${are}; the model made ${words(expected)}`, where }]
  }
  const ids = new Set(calls.map((call) => call.toolCallId))
  return ids.size === calls.length ? [] : [{ message: `${calls.length} calls share ${ids.size} ids`, where }]
}

/** Each result of a step holds what its own call gave: `texts[n]` is part of the result of call n. */
export function resultsHold(run: RunRecord | undefined, step: number, texts: readonly string[]): readonly Failure[] {
  const done = run?.result?.steps[step]
  if (done === undefined) return []
  return texts.flatMap((text, index) => {
    const id = done.toolCalls[index]?.toolCallId
    const result = done.toolResults.find((candidate) => candidate.toolCallId === id)
    if (JSON.stringify(result?.output ?? null).includes(text)) return []
    const message = `the result of call ${index + 1} should hold '${text}' and is ${JSON.stringify(result?.output)}: it belongs to another call`
    return [{ message, where: `run ${run?.number ?? 1}, step ${step + 1}` }]
  })
}
