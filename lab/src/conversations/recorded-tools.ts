import { providerTool, tool, type AnyTool, type ToolOutput, type ToolSet } from '@steploop/core'
import { isModels, type DeclaredTool, type Item, type ResultItem } from '@steploop/conformance/cli'
import type { Chain, LinkedTurn } from './link-turns.ts'
import { outputOf } from './to-messages.ts'

/** The tools of a recorded request. Each answers what the recording answers to the same call. */
export function toolsOf(declared: readonly DeclaredTool[], provider: string, answer: RecordedAnswers): ToolSet {
  return Object.fromEntries(
    declared.map(({ name, schema, description, strict, declaration }): [string, AnyTool] => {
      if (schema === undefined) return [name, providerTool({ provider, name, definition: declaration })]
      const inputSchema = Object.keys(schema).length === 0 ? { type: 'object', properties: {} } : schema
      const toModelOutput = (item: unknown): ToolOutput => outputOf(item as ResultItem)
      const execute = (_: unknown, { toolCallId }: { readonly toolCallId: string }): RecordedAnswer =>
        answer(toolCallId, name)
      return [name, tool({ inputSchema, description, strict, toModelOutput, execute })]
    }),
  )
}

/** What the recording answers to a call. */
export type RecordedAnswers = (toolCallId: string, toolName: string) => RecordedAnswer

type RecordedAnswer = Pick<ResultItem, 'output' | 'files'>

/** Results by the id of their call; of calls that have another id there, or none, the next of the tool's. A call may be left open. */
export function recordedAnswers(chain: Chain): RecordedAnswers {
  const calls = chain.flatMap(({ response }, turn) =>
    response.parts.flatMap((part) => (part.type === 'call' && part.id !== '' ? [{ id: part.id, turn }] : [])),
  )
  // Some providers begin to number anew with every response.
  const turns = Map.groupBy(calls, ({ id }) => id)
  const results = chain.slice(1).flatMap((turn, index) => {
    const named = new Map(
      turn.request.items.flatMap((item) => (item.type === 'call' ? [[item.id, item.toolName] as const] : [])),
    )
    return splitAdded(turn).answers.map((item) => ({ item, to: index, toolName: item.toolName ?? named.get(item.id) }))
  })
  const taken = new Set<ResultItem>()
  return (toolCallId, toolName) => {
    const made = turns.get(toolCallId)
    const open = results.filter(
      ({ item, to }) => !taken.has(item) && (made === undefined || made.some(({ turn }) => turn === to)),
    )
    const unnumbered = open.filter(({ item }) => item.id === undefined || !turns.has(item.id))
    const found =
      open.find(({ item }) => item.id === toolCallId) ??
      unnumbered.find((result) => result.toolName === undefined || result.toolName === toolName)
    if (found === undefined) return { output: 'This call was not answered in the recording.', files: [] }
    taken.add(found.item)
    return found.item
  }
}

export interface Added {
  /** Results of the calls that the model has just made. */
  readonly answers: readonly ResultItem[]
  /** What the caller said beside them; some clients put calls of their own, with results, into the model's mouth. */
  readonly said: readonly Item[]
}

/** Parts what the caller said into what answers calls and what does not. */
export function splitAdded({ added }: LinkedTurn): Added {
  const invented = added.findIndex((item) => isModels(item))
  const own = invented < 0 ? added : added.slice(0, invented)
  const answers = own.filter((item) => item.type === 'result')
  return { answers, said: added.filter((item) => item.type !== 'result' || !answers.includes(item)) }
}
