import type { TurnRequest } from '@steploop/core/adapter'
import type { RequestView } from '../request-view.ts'

/** Names on the wire, by a tool's own; tools are declared in the order in which they were given. */
export function wireNames(request: TurnRequest | undefined, { tools }: RequestView): ReadonlyMap<string, string> {
  const given = (request?.tools ?? []).filter(({ type }) => type === 'function')
  const sent = tools.filter(({ inputSchema }) => inputSchema !== undefined)
  return new Map(given.flatMap(({ name }, at) => (sent[at] === undefined ? [] : [[name, sent[at].name]])))
}
