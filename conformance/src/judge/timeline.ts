import { AdapterError } from '@steploop/core'
import type { Evidence, RunRecord, SentRequest } from '../evidence.ts'
import { described } from '../described.ts'
import { canonicalJson } from '../json.ts'
import { causesOf, locationOfError } from '../location-of-error.ts'

/** What happened, in order: requests with what is new in them, events of the turns, executions, and how each run ended. */
export function timeline(evidence: Evidence): string[] {
  return evidence.runs.flatMap((run) => [`run ${run.number}`, ...runLines(run).map((line) => `  ${line}`)])
}

function runLines(run: RunRecord): readonly string[] {
  const lines: string[] = []
  for (const [index, request] of run.requests.entries()) {
    const sent = `${request.method} ${request.url} (${request.text.length} characters)`
    // A `turnScript` takes the place of requests.
    lines.push(`request ${index + 1}: ${request.url === '' ? 'a turn of the script' : sent}`)
    lines.push(...newItems(request, run.requests[index - 1]).map((line) => `  ${line}`))
    const turn = run.turns[index]
    if (turn === undefined) continue
    lines.push(`events: ${eventWords(turn.events.map(({ type }) => type)) || 'none'}`)
    if (turn.error !== undefined) lines.push(`threw ${short(described(turn.error), 300)}${unmeant(turn.error)}`)
  }
  lines.push(...run.executions.map(({ toolName, input }) => `ran ${toolName} ${short(canonicalJson(input), 120)}`))
  if (run.result !== undefined) lines.push(`${run.result.status}: ${run.result.stopReason}`)
  else
    lines.push(
      `rejected with ${short(described(run.error), 300)}${run.requests.length === 0 ? unmeant(run.error) : ''}`,
    )
  return lines
}

/** Where it was thrown, unless an adapter threw it on purpose: then its code and message say more. */
function unmeant(error: unknown): string {
  const isMeant = causesOf(error).some((cause) => AdapterError.isInstance(cause) && cause.code !== 'unknown')
  const location = isMeant ? undefined : locationOfError(error)
  return location === undefined ? '' : ` (at ${location})`
}

function newItems(request: SentRequest, before: SentRequest | undefined): readonly string[] {
  const items = request.view?.items ?? []
  return items.slice(before?.view?.items.length ?? 0).map((item) => {
    if (item.type === 'call') return `${item.path}: call ${item.toolName} ${short(canonicalJson(item.input), 120)}`
    return item.type === 'other'
      ? `${item.path}: ${item.kind}`
      : `${item.path}: ${item.type} ${short(JSON.stringify(item.text), 120)}`
  })
}

/** `text-delta ×12` instead of twelve words. */
function eventWords(types: readonly string[]): string {
  const groups: { type: string; count: number }[] = []
  for (const type of types) {
    const last = groups.at(-1)
    if (last?.type === type) last.count++
    else groups.push({ type, count: 1 })
  }
  return groups.map(({ type, count }) => (count === 1 ? type : `${type} ×${count}`)).join(', ')
}

function short(text: string, length: number): string {
  const line = text.replaceAll('\n', ' ')
  return line.length <= length ? line : `${line.slice(0, length)} …`
}
