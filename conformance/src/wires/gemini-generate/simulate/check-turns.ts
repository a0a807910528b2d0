import { objectOf, textOf } from '@steploop/core/adapter'
import type { JsonObject, Rejection } from '../../simulate/wire-simulation.ts'
import { invalidArgument } from '../../simulate/google-status.ts'
import type { Content } from './contents.ts'

/** Contents of one role in a row are one turn. */
function turnsOf(contents: readonly Content[]): readonly Content[] {
  const turns: Content[] = []
  for (const { role, parts } of contents) {
    const last = turns.at(-1)
    if (last?.role === role) turns[turns.length - 1] = { role, parts: [...last.parts, ...parts] }
    else turns.push({ role, parts })
  }
  return turns
}

/**
 * Calls come after the user, are answered in the next turn, each once; responses answer the calls of the turn before.
 * https://ai.google.dev/gemini-api/docs/function-calling
 */
export function checkTurns(contents: readonly Content[]): Rejection | undefined {
  const turns = turnsOf(contents)
  for (const [index, turn] of turns.entries()) {
    const before = index === 0 ? undefined : turns[index - 1]
    const refused = turn.role === 'model' ? checkCalls(turn, before, turns[index + 1]) : checkResponses(turn, before)
    if (refused !== undefined) return refused
  }
  return undefined
}

function checkCalls(turn: Content, before: Content | undefined, next: Content | undefined): Rejection | undefined {
  const invocations = checkInvocations(turn)
  if (invocations !== undefined) return invocations
  const calls = membersOf(turn, 'functionCall')
  if (calls.length === 0) return undefined
  if (before === undefined) {
    return invalidArgument(
      'Please ensure that function call turn comes immediately after a user turn or after a function response turn.',
    )
  }
  const responses = next === undefined ? [] : membersOf(next, 'functionResponse')
  if (responses.length !== calls.length) {
    return invalidArgument(
      'Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.',
    )
  }
  return isLed(next) ? checkPairs(calls, responses) : invalidArgument(responsesLate)
}

/** Nothing of the user comes between calls and their responses. */
function isLed(turn: Content | undefined): boolean {
  const parts = turn?.parts ?? []
  const other = parts.findIndex((part) => part['functionResponse'] === undefined)
  return other < 0 || parts.slice(other).every((part) => part['functionResponse'] === undefined)
}

const responsesLate = 'Please ensure that function response turn comes immediately after a function call turn.'

/** With ids, each response names its call; without, they stand in the order of the calls. */
function checkPairs(calls: readonly JsonObject[], responses: readonly JsonObject[]): Rejection | undefined {
  const open = [...calls]
  for (const response of responses) {
    const id = textOf(response['id'])
    const index = open.findIndex((call) => textOf(call['id']) === id)
    const call = open[index]
    if (call === undefined) {
      return invalidArgument(
        `Please ensure that the id of each function response is that of a function call of the function call turn; '${id ?? ''}' is not.`,
      )
    }
    if (call['name'] !== response['name']) {
      return invalidArgument(
        `Please ensure that the name of each function response is that of its function call; '${String(response['name'])}' answers '${String(call['name'])}'.`,
      )
    }
    open.splice(index, 1)
  }
  return undefined
}

function checkResponses(turn: Content, before: Content | undefined): Rejection | undefined {
  const responses = membersOf(turn, 'functionResponse')
  const calls = before === undefined ? [] : membersOf(before, 'functionCall')
  if (responses.length === 0 || calls.length > 0) return undefined
  return invalidArgument(responsesLate)
}

/** A response of a built-in tool follows its call. */
function checkInvocations(turn: Content): Rejection | undefined {
  const called = new Set<unknown>()
  for (const part of turn.parts) {
    if (part['toolCall'] !== undefined) called.add(objectOf(part['toolCall'])['id'])
    if (part['toolResponse'] === undefined) continue
    const { id } = objectOf(part['toolResponse'])
    if (!called.has(id))
      return invalidArgument(`Please ensure that each tool response follows its tool call; '${String(id)}' does not.`)
  }
  return undefined
}

function membersOf(turn: Content, name: string): readonly JsonObject[] {
  return turn.parts.filter((part) => part[name] !== undefined).map((part) => objectOf(part[name]))
}
