import { invalidRequest } from '../../openai-common/openai-errors.ts'
import type { JsonObject, Memory, Rejection } from '../../simulate/wire-simulation.ts'
import { checkReplay, type SentItems } from './check-replay.ts'
import { inputItems } from './remember.ts'

/**
 * Items have to make a conversation: calls before their outputs, each answered once, reasoning followed by what it led to.
 * Without `memory` a request that continues a stored response is taken on trust.
 */
export function checkItems(request: JsonObject, memory?: Memory): Rejection | undefined {
  const input = inputItems(request['input'])
  const previous = request['previous_response_id'] as string | null | undefined
  if (previous == null)
    return checkConversation({ earlier: [], input, memory, trusted: request['conversation'] != null })
  if (memory === undefined) return checkConversation({ earlier: [], input, memory, trusted: true })
  const stored = memory.responses.get(previous)
  if (stored === undefined) {
    return invalidRequest({
      message: `Previous response with id '${previous}' not found.`,
      param: 'previous_response_id',
      code: 'previous_response_not_found',
    })
  }
  return checkConversation({ earlier: stored.items, input, memory, trusted: false })
}

function checkConversation(conversation: SentItems): Rejection | undefined {
  return (
    checkDuplicates(conversation) ??
    checkReplay(conversation) ??
    checkReasoningPosition(conversation.input) ??
    checkPairs(conversation)
  )
}

function checkDuplicates({ earlier, input }: SentItems): Rejection | undefined {
  const seen = new Set<unknown>()
  for (const item of [...earlier, ...input]) {
    const id = item['id']
    if (typeof id !== 'string') continue
    if (seen.has(id)) {
      return invalidRequest({
        message: `Duplicate item found with id ${id}. Remove duplicate items from your input and try again.`,
        param: 'input',
      })
    }
    seen.add(id)
  }
  return undefined
}

const neverAfterReasoning = new Set(['function_call_output', 'custom_tool_call_output'])

/**
 * docs/wire.md#histories-that-are-refused: a reasoning item stands right before the item that it led to; a question or a result is none.
 */
function checkReasoningPosition(input: readonly JsonObject[]): Rejection | undefined {
  for (const [index, item] of input.entries()) {
    if (item['type'] !== 'reasoning') continue
    const next = input[index + 1]
    const asks = next?.['role'] !== undefined && next['role'] !== 'assistant'
    if (next !== undefined && !asks && !neverAfterReasoning.has(String(next['type']))) continue
    return invalidRequest({
      message: `Item '${String(item['id'])}' of type 'reasoning' was provided without its required following item.`,
      param: 'input',
    })
  }
  return undefined
}

/** Kind of call that an output answers, in the provider's words. */
const calls: Readonly<Record<string, string>> = {
  function_call: 'tool call',
  custom_tool_call: 'custom tool call',
  tool_search_call: 'tool search call',
}
const outputs: Readonly<Record<string, string>> = {
  function_call_output: 'function call output',
  custom_tool_call_output: 'custom tool call output',
}

/**
 * Ids are unique per response only (docs/wire.md#responses-repeated-call-ids), so an output answers the latest call of its id that is still
 * open.
 */
function checkPairs({ earlier, input, trusted }: SentItems): Rejection | undefined {
  const open: string[] = []
  for (const item of [...earlier, ...input]) {
    const type = String(item['type'])
    const callId = item['call_id']
    if (typeof callId !== 'string') continue
    if (type in calls && item['execution'] !== 'server') open.push(callId)
    if (!(type in outputs) && type !== 'tool_search_output') continue
    const index = open.lastIndexOf(callId)
    if (index >= 0) open.splice(index, 1)
    else if (!trusted && type in outputs) {
      return invalidRequest({
        message: `No tool call found for ${outputs[type] ?? 'output'} with call_id ${callId}.`,
        param: 'input',
      })
    }
  }
  const [unanswered] = open
  if (unanswered === undefined) return undefined
  return invalidRequest({ message: `No tool output found for function call ${unanswered}.`, param: 'input' })
}
