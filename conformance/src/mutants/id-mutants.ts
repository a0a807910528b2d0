import type { Message } from '@steploop/core'
import { parsed } from '../json.ts'
import { wireKit } from '../wires/index.ts'
import { brokenEvents, withTurn, type Breaks } from './mutant.ts'

/** What ids of calls stand on the wire. */
export const idMutants: Breaks = {
  'ids-by-location': brokenEvents({
    bug: 'Ids of calls are made from where they stand in their turn.',
    killer: 'three-turn#new-ids',
    fresh: () => undefined,
    change: (events) =>
      events.map((event) =>
        'toolCallId' in event && event.type !== 'tool-result' ? { ...event, toolCallId: `call_${event.part}` } : event,
      ),
  }),
  'ids-not-mapped': {
    bug: 'Calls go back under the ids of the run, not under those that the provider gave them.',
    killer: 'repeated-ids#as-recorded',
    apply(subject) {
      const readRequest = wireKit(subject.wire)?.readRequest
      return {
        ...subject,
        adapter(options) {
          let ids: readonly string[] = []
          const send = options.fetch ?? fetch
          const adapter = subject.adapter({
            ...options,
            fetch: (input, init) => {
              const body = typeof init?.body === 'string' ? init.body : ''
              const items = readRequest?.(parsed(body))?.items ?? []
              const sent = items.flatMap((item) => (item.type === 'call' ? [item.id] : []))
              return send(input, { ...init, body: renamed(body, sent, ids) })
            },
          })
          return withTurn(adapter, (request, context) => {
            ids = callIds(request.messages)
            return adapter.turn(request, context)
          })
        },
      }
    },
  },
}

function callIds(messages: readonly Message[]): readonly string[] {
  const parts = messages.flatMap((message) => (message.role === 'assistant' ? message.content : []))
  return parts.flatMap((part) => (part.type === 'tool-call' && part.owner !== 'provider' ? [part.toolCallId] : []))
}

/** Both locations of a call, from its own on, so that ids which come again are told apart. */
function renamed(body: string, sent: readonly string[], ids: readonly string[]): string {
  if (sent.length !== ids.length) return body
  let from = 0
  let text = body
  for (const [index, id] of sent.entries()) {
    const own = ids[index]
    const at = text.indexOf(JSON.stringify(id), from)
    if (own === undefined || own === id || at === -1) continue
    text = text.slice(0, at) + text.slice(at).replaceAll(JSON.stringify(id), JSON.stringify(own))
    from = at + own.length
  }
  return text
}
