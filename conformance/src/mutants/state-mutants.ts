import {
  isObject,
  textHash,
  type AssistantPart,
  type Message,
  type ProviderMetadata,
  type TurnRequest,
  type Warning,
} from '@steploop/core/adapter'
import { changeAssistants, changeParts, takenForOwn, withMessages } from './messages.ts'
import { brokenAdapter, brokenEvents, brokenRequest, withTurn, type Break, type Breaks, type Bug } from './mutant.ts'

type Continuation = TurnRequest['continuation']

/** Keeps the data of parts in a map that all instances share. */
function keptAside({ keyOf, ...facts }: Bug & { readonly keyOf: (data: unknown, text: string) => string }): Break {
  const kept = new Map<string, unknown>()
  return brokenAdapter({
    ...facts,
    wrap: (adapter) =>
      withTurn(adapter, async function* (request, context) {
        const restored = changeParts(request, (part) =>
          part.providerMetadata === undefined
            ? [part]
            : [
                {
                  ...part,
                  providerMetadata: { ...part.providerMetadata, data: restoredOf(kept, part.providerMetadata) },
                },
              ],
        )
        let text = ''
        for await (const batch of adapter.turn(restored, context))
          yield batch.map((event) => {
            if ('text' in event) text += event.text
            if (!('providerMetadata' in event) || event.providerMetadata === undefined) return event
            const { providerMetadata } = event
            const key = keyOf(providerMetadata.data, `${event.type} ${text}`)
            kept.set(key, providerMetadata.data)
            return { ...event, providerMetadata: { ...providerMetadata, data: { key } } }
          })
      }),
  })
}

function restoredOf(kept: ReadonlyMap<string, unknown>, { data }: ProviderMetadata): ProviderMetadata['data'] {
  return kept.get(isObject(data) ? String(data['key']) : '') ?? data
}

function unsigned(part: AssistantPart): readonly AssistantPart[] {
  return [part.type === 'opaque' ? part : { ...part, providerMetadata: undefined }]
}

/** What an instance remembers, and what it does to conversations that are not its own. */
export const stateMutants: Breaks = {
  'warned-once': brokenAdapter({
    bug: 'What was warned of once is not warned of in later turns.',
    killer: 'text-only#requests',
    wrap(adapter) {
      const told = new Set<string>()
      const isNew = (warning: Warning): boolean => told.size < told.add(JSON.stringify(warning)).size
      return withTurn(adapter, async function* turn(...asked) {
        for await (const batch of adapter.turn(...asked))
          yield batch.map((event) =>
            event.type === 'turn-start' ? { ...event, warnings: event.warnings?.filter((one) => isNew(one)) } : event,
          )
      })
    },
  }),
  'state-between-turns': brokenAdapter({
    bug: 'From its fourth turn on, an instance encodes the same turn in another way.',
    killer: 'text-then-call#stable',
    wrap(adapter) {
      let turns = 0
      return withTurn(adapter, (request, context) => {
        turns++
        return adapter.turn(turns < 4 ? request : { ...request, instructions: `turn ${turns}` }, context)
      })
    },
  }),
  'results-by-object': brokenAdapter({
    bug: 'Results go out with the calls that stood before them first, whatever stands there by now.',
    killer: 'single-call#stable',
    wrap(adapter) {
      const called = new WeakMap<Message, Message>()
      const calls = (message: Message, results: Message | undefined): Message => {
        if (results?.role !== 'tool') return message
        const known = called.get(results) ?? message
        called.set(results, known)
        return known
      }
      return withTurn(adapter, (request, context) =>
        adapter.turn(
          withMessages(request, (messages) => messages.map((message, at) => calls(message, messages[at + 1]))),
          context,
        ),
      )
    },
  }),
  'identity-of-messages': brokenAdapter({
    bug: 'Messages are recognised by object identity, which JSON does not keep.',
    killer: 'single-call#resume',
    wrap(adapter) {
      let first: Message | undefined
      return withTurn(adapter, (request, context) => {
        first ??= request.messages[0]
        const isKnown = request.messages[0] === first
        return adapter.turn(isKnown ? request : { ...request, instructions: 'who are you?' }, context)
      })
    },
  }),
  'conversation-kept-in-adapter': brokenAdapter({
    bug: 'An instance keeps the conversation, so that a second run from the same transcript sees the first.',
    killer: 'branch#branches-apart',
    wrap(adapter) {
      const kept: Message[] = []
      return withTurn(adapter, (request, context) => {
        const known = new Set(kept.map((message) => JSON.stringify(message)))
        kept.push(...request.messages.filter((message) => !known.has(JSON.stringify(message))))
        const isBranch =
          request.messages[0] !== undefined && JSON.stringify(kept[0]) === JSON.stringify(request.messages[0])
        return adapter.turn(isBranch ? withMessages(request, () => [...kept]) : request, context)
      })
    },
  }),
  'history-mutated-in-place': brokenRequest({
    bug: 'Encoding puts marked messages into the list of a conversation that tools were called in, the history itself.',
    killer: 'branch#transcript-untouched',
    change(request) {
      const calls = request.messages.some(({ role }) => role === 'tool')
      const list = request.messages as Message[]
      if (calls)
        for (const [index, message] of list.entries()) list[index] = Object.assign({ ...message }, { encoded: true })
      return request
    },
  }),
  'schemas-named-in-place': brokenRequest({
    bug: 'Encoding writes the name of a tool without a description into its schema, the one that the caller gave.',
    killer: 'text-only#requests',
    change(request) {
      // Tools of scenarios have one: they are there for all mutants, and a mark in them would break those that come after.
      for (const tool of request.tools ?? [])
        if (tool.type === 'function' && tool.description === undefined)
          Object.assign(tool.inputSchema, { $comment: tool.name })
      return request
    },
  }),
  'kept-aside': keptAside({
    bug: 'What has to go back is kept in the process under a key, and only the key is in the message.',
    killer: 'reasoning-replay#twins',
    keyOf: (data) => textHash(JSON.stringify(data)),
  }),
  'kept-by-words': keptAside({
    bug: 'What has to go back is kept in the process under the words that it came with, which another conversation has as well.',
    killer: 'reasoning-replay#twins',
    keyOf: (_, text) => textHash(text),
  }),
  'first-metadata-again': brokenRequest({
    bug: 'What the first part of a kind came with goes back with each later one.',
    killer: 'three-turn#as-recorded',
    change(request) {
      const first = new Map<string, ProviderMetadata>()
      return changeParts(request, (part) => {
        if (part.providerMetadata === undefined) return [part]
        const providerMetadata = first.get(part.type) ?? part.providerMetadata
        first.set(part.type, providerMetadata)
        return [{ ...part, providerMetadata }]
      })
    },
  }),
  'metadata-of-the-first-call': brokenEvents({
    bug: 'What the first call of a turn came with is taken for that of all.',
    killer: 'parallel-calls#as-recorded',
    fresh: () => ({ first: undefined as ProviderMetadata | undefined }),
    change: (events, state) =>
      events.map((event) => {
        if (event.type !== 'tool-call' || event.providerMetadata === undefined) return event
        state.first ??= event.providerMetadata
        return { ...event, providerMetadata: state.first }
      }),
  }),
  'drop-signature': brokenRequest({
    bug: 'What the provider signed does not go back to it.',
    killer: 'reasoning-replay#replayed-as-it-was',
    change: (request) => changeParts(request, unsigned),
  }),
  'seals-of-one-version': brokenRequest({
    bug: 'What the provider signed goes back to the version of the model that said it, and to no other.',
    killer: 'text-only#requests',
    change: (request, { model }) =>
      changeParts(request, (part) => (part.providerMetadata?.model === model ? [part] : unsigned(part))),
  }),
  'seals-of-the-last-turn': brokenRequest({
    bug: 'What the provider signed goes back with its last turn only.',
    killer: 'text-only#requests',
    change(request) {
      const last = request.messages.findLast(({ role }) => role === 'assistant')
      return changeAssistants(request, (message) =>
        message === last ? message : { ...message, content: message.content.flatMap(unsigned) },
      )
    },
  }),
  'drop-empty-reasoning': brokenRequest({
    bug: 'Thoughts without a text are left out of the history, with what the provider signed.',
    killer: 'reasoning-replay#replayed-as-it-was',
    change: (request) => changeParts(request, (part) => (part.type === 'reasoning' && part.text === '' ? [] : [part])),
  }),
  'foreign-signature-replayed': brokenRequest({
    bug: 'What another provider signed is sent along.',
    killer: 'reasoning-replay#hand-over',
    change: takenForOwn,
  }),
  'continuation-plus-history': brokenAdapter({
    bug: 'The request names the last response, and sends the whole conversation all the same.',
    killer: 'continuation#only-what-is-new',
    wrap: (adapter) =>
      withTurn(adapter, (request, context) => {
        const continuation: Continuation = request.continuation && { ...request.continuation, from: 0 }
        return adapter.turn({ ...request, continuation }, context)
      }),
  }),
  'continuation-without-options': brokenRequest({
    bug: 'Tools and options are left to the response that the request continues.',
    killer: 'continuation#same-builder',
    change: (request) =>
      request.continuation === undefined
        ? request
        : { ...request, tools: undefined, toolChoice: undefined, providerOptions: undefined },
  }),
  'continuation-after-edit': brokenAdapter({
    bug: 'The last response is named although the history was edited since.',
    killer: 'continuation-edited#whole-history-again',
    wrap(adapter) {
      let last: Continuation
      return withTurn(adapter, async function* (request, context) {
        const stores = request.providerOptions?.[adapter.provider]?.['store'] === true
        const continuation = stores ? (request.continuation ?? last) : request.continuation
        for await (const batch of adapter.turn({ ...request, continuation }, context)) {
          for (const event of batch) {
            if (event.type !== 'turn-end' || event.responseId === undefined) continue
            last = { responseId: event.responseId, from: request.messages.length + 1 }
          }
          yield batch
        }
      })
    },
  }),
}
