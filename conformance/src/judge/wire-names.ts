import type { TurnRequest } from '@steploop/core/adapter'
import type { SubjectFacts } from '../evidence.ts'
import type { RequestView } from '../request-view.ts'

/** Every provider takes such a name, unless its subject says otherwise; others are cleaned, and mapped back when they are called. */
const plainName = /^[a-zA-Z][a-zA-Z0-9_]{0,62}$/

/** Whether a tool has to keep its name on the wire. */
export function isPlain(toolName: string, { toolNames = plainName }: Pick<SubjectFacts, 'toolNames'>): boolean {
  // Not `test`, which remembers where it was in a pattern with `g`.
  return toolName.search(toolNames) !== -1
}

/**
 * Names on the wire, by a tool's own; tools are declared in the order in which they were given. A tool that is declared no more is called as its
 * call in the body is, where its name cannot have been kept.
 */
export function wireNames(
  request: Partial<Pick<TurnRequest, 'tools' | 'messages'>> | undefined,
  { tools, items }: RequestView,
  subject: Pick<SubjectFacts, 'toolNames'>,
): ReadonlyMap<string, string> {
  const given = (request?.tools ?? []).filter(({ type }) => type === 'function')
  const sent = tools.filter(({ inputSchema }) => inputSchema !== undefined)
  const names = new Map(given.flatMap(({ name }, at) => (sent[at] === undefined ? [] : [[name, sent[at].name]])))
  const parts = (request?.messages ?? []).flatMap((message) => (message.role === 'assistant' ? message.content : []))
  const called = parts.flatMap((part) => (part.type === 'tool-call' && part.owner !== 'provider' ? [part] : []))
  const calls = items.filter((item) => item.type === 'call')
  for (const [at, { toolName }] of called.entries()) {
    const wireName = calls[at]?.toolName
    if (wireName !== undefined && !names.has(toolName) && !isPlain(toolName, subject)) names.set(toolName, wireName)
  }
  return names
}
