import { arrayOf, isObject, objectOf, textOf, type JsonObject } from '@steploop/core/adapter'
import { parsed } from '../json.ts'
import type { Break, Breaks, Bug } from './mutant.ts'
import { brokenLines } from './stream-mutants.ts'

/** Breaks each fragment of a call in a stream of Chat Completions; nothing takes it away. `state` is fresh per stream. */
function brokenFragments<State>(
  bug: Bug & {
    readonly fresh: () => State
    readonly change: (fragment: JsonObject, state: State) => JsonObject | undefined
  },
): Break {
  const { fresh, change, ...facts } = bug
  return brokenLines({
    ...facts,
    fresh,
    change(line, state) {
      const payload = line.startsWith('data:') ? parsed(line.slice(5)) : undefined
      const choice = isObject(payload) ? objectOf(arrayOf(payload['choices'])[0]) : {}
      const delta = objectOf(choice['delta'])
      const calls = arrayOf(delta['tool_calls']).map(objectOf)
      if (!isObject(payload) || calls.length === 0) return line
      const toolCalls = calls.flatMap((call) => change(call, state) ?? [])
      const changed = { ...payload, choices: [{ ...choice, delta: { ...delta, tool_calls: toolCalls } }] }
      return `data: ${JSON.stringify(changed)}`
    },
  })
}

const withArguments = (fragment: JsonObject, text: string): JsonObject => ({
  ...fragment,
  function: { ...objectOf(fragment['function']), arguments: text },
})

/** How fragments of streamed calls are put together; each of these was seen in a library. */
export const fragmentMutants: Breaks = {
  'drop-args-before-start': brokenFragments({
    bug: 'Arguments that come before the id of their call are dropped.',
    killer: 'parallel-calls#fragments',
    fresh: () => new Set<unknown>(),
    change(fragment, started) {
      if (fragment['id']) started.add(fragment['index'])
      return started.has(fragment['index']) ? fragment : withArguments(fragment, '')
    },
  }),
  'empty-id-starts-call': brokenFragments({
    bug: 'A fragment with an empty id begins another call.',
    killer: 'parallel-calls#fragments',
    fresh: () => ({ next: 100 }),
    change: (fragment, state) => (fragment['id'] === '' ? { ...fragment, index: state.next++ } : fragment),
  }),
  'clobber-on-repeated-id': brokenFragments({
    bug: 'A fragment that repeats the id of its call is taken for its beginning, and what it brings is lost.',
    killer: 'parallel-calls#fragments',
    fresh: () => new Set<unknown>(),
    change(fragment, seen) {
      const id = textOf(fragment['id'])
      if (!id) return fragment
      if (seen.has(id)) return withArguments(fragment, '')
      seen.add(id)
      return fragment
    },
  }),
  'merge-calls-index-zero': brokenFragments({
    bug: 'Calls are distinguished by their index alone, which some servers leave at 0.',
    killer: 'parallel-calls#fragments',
    fresh: () => new Map<unknown, string>(),
    change(fragment, ids) {
      const { id, ...rest } = fragment
      const known = ids.get(fragment['index'])
      if (typeof id === 'string' && id !== '' && known === undefined) ids.set(fragment['index'], id)
      if (known === undefined || known === id) return fragment
      return { ...rest, function: { arguments: objectOf(fragment['function'])['arguments'] } }
    },
  }),
  'fragments-without-index-lost': brokenFragments({
    bug: 'Fragments without an index belong to no call.',
    killer: 'parallel-calls#fragments',
    fresh: () => undefined,
    change: (fragment) => (fragment['index'] === undefined ? undefined : fragment),
  }),
}
