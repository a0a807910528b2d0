import { textAt } from '../../simulate/fields.ts'
import type { JsonObject, Rejection } from '../../simulate/wire-simulation.ts'
import { invalidRequest } from './failures.ts'
import type { InputMessage } from './input-message.ts'

interface Turn {
  readonly role: string
  readonly blocks: readonly JsonObject[]
  /** Index of the turn's last message. */
  readonly index: number
}

/**
 * Every call is answered in the next turn, once, before any other content of that turn; every result answers a call of the turn
 * before. Messages of one role in a row are one turn.
 * https://docs.claude.com/en/docs/agents-and-tools/tool-use/implement-tool-use
 */
export function checkPairs(messages: readonly InputMessage[]): Rejection | undefined {
  const turns = turnsOf(messages)
  for (const [position, turn] of turns.entries()) {
    const refused =
      turn.role === 'assistant'
        ? checkCalls(turn, turns[position + 1])
        : checkResults(turn, position === 0 ? undefined : turns[position - 1])
    if (refused !== undefined) return refused
  }
  return undefined
}

/** System messages inside a conversation belong to no turn. */
function turnsOf(messages: readonly InputMessage[]): readonly Turn[] {
  const turns: Turn[] = []
  for (const [index, message] of messages.entries()) {
    if (message.role === 'system') continue
    const { blocks } = message
    const last = turns.at(-1)
    if (last?.role === message.role) {
      turns[turns.length - 1] = { role: last.role, blocks: [...last.blocks, ...blocks], index }
    } else {
      turns.push({ role: message.role, blocks, index })
    }
  }
  return turns
}

function checkCalls(turn: Turn, next: Turn | undefined): Rejection | undefined {
  const ids = idsOf(turn, 'tool_use', 'id')
  const repeated = ids.find((id, position) => ids.indexOf(id) !== position)
  if (repeated !== undefined) {
    return invalidRequest(`messages.${turn.index}: \`tool_use\` ids must be unique. Found more than once: ${repeated}`)
  }
  const leading = (next?.blocks ?? []).findIndex((block) => block['type'] !== 'tool_result')
  const first = leading < 0 ? next?.blocks : next?.blocks.slice(0, leading)
  const answered = (first ?? []).map((block) => block['tool_use_id'])
  const open = ids.filter((id) => !answered.includes(id))
  if (open.length === 0) return undefined
  return invalidRequest(
    `messages.${turn.index}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${open.join(', ')}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`,
  )
}

function checkResults(turn: Turn, before: Turn | undefined): Rejection | undefined {
  const calls = before === undefined ? [] : idsOf(before, 'tool_use', 'id')
  const results = idsOf(turn, 'tool_result', 'tool_use_id')
  const orphan = results.find((id) => !calls.includes(id))
  if (orphan !== undefined) {
    return invalidRequest(
      `messages.${turn.index}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${orphan}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`,
    )
  }
  const repeated = results.find((id, position) => results.indexOf(id) !== position)
  if (repeated === undefined) return undefined
  return invalidRequest(
    `messages.${turn.index}: each tool_use must have a single result. Found multiple \`tool_result\` blocks with id: ${repeated}`,
  )
}

function idsOf(turn: Turn, type: string, member: string): readonly string[] {
  return turn.blocks.flatMap((block) => (block['type'] === type ? [textAt(block, member)] : []))
}
