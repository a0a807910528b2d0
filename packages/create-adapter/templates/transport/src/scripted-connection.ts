import type { PlayableTurn, ScriptedAnswer, ScriptedFailure, ScriptedPart, TurnScript } from '@steploop/conformance'
import type { Connection, Reply } from './connection.ts'

/** my-llm, played by the suite: each question is answered by the next turn of a scenario's script, in my-llm's own words. */
export function scriptedConnection(script: TurnScript): Connection {
  let calls = 0
  const nextId = (): string => `call-${++calls}`
  return {
    async *ask() {
      for (const reply of repliesOf(script.next(), nextId)) {
        // As from outside: never within the same tick.
        await Promise.resolve()
        yield reply
      }
    },
  }
}

function repliesOf(turn: PlayableTurn, nextId: () => string): readonly Reply[] {
  if (turn.type === 'failure') return [...repliesOfParts(turn.after ?? [], nextId), errorReply(turn)]
  const said = repliesOfParts(turn.parts, nextId)
  const { cutAfter } = turn
  return cutAfter === undefined ? [...said, doneReply(turn)] : said.slice(0, Math.floor(said.length * cutAfter))
}

function repliesOfParts(parts: readonly ScriptedPart[], nextId: () => string): readonly Reply[] {
  return parts.flatMap((part): readonly Reply[] => {
    if (part.type === 'call') {
      const { toolName: name, input, inputText: argumentsText = JSON.stringify(input), id = nextId() } = part
      return [{ type: 'call', id, name, argumentsText }]
    }
    // my-llm does not show what it thinks, and runs no tools itself.
    if (part.type !== 'text' && part.type !== 'refusal') return []
    return part.text
      .split(/(?<=[ ,.])/)
      .filter((text) => text !== '')
      .map((text) => ({ type: 'text', text }))
  })
}

function doneReply({ finish = 'stop', usage }: ScriptedAnswer): Reply {
  const { inputTokens, outputTokens } = usage ?? { inputTokens: 20, outputTokens: 5 }
  return { type: 'done', reason: finish, usage: { inputTokens, outputTokens } }
}

/** The words for failures, as `providerErrorFacts` knows them. */
const kinds: Readonly<Record<ScriptedFailure['failure'], string>> = {
  'bad-key': 'authentication_error',
  forbidden: 'permission_error',
  'unknown-model': 'not_found_error',
  'bad-request': 'invalid_request_error',
  'context-overflow': 'context_length_exceeded',
  'rate-limited': 'rate_limit_error',
  'insufficient-credit': 'insufficient_quota',
  overloaded: 'overloaded_error',
  'server-error': 'server_error',
}

function errorReply({ failure }: ScriptedFailure): Reply {
  const message = `my-llm says: ${failure}`
  return { type: 'error', kind: kinds[failure], message, ...(failure === 'rate-limited' && { retryAfterMs: 1000 }) }
}
