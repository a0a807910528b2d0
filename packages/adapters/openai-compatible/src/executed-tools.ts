import { isObject, numberOf, parseToolInput, textOf, type JsonObject, type TurnEvent } from '@steploop/core/adapter'
import { closeParts, type OpenParts } from './part-writer.ts'

/** Groq's systems run tools themselves and report them in `executed_tools`; a stream sends an entry again when its output is there. */
export interface ExecutedTools {
  read(entries: readonly unknown[], out: TurnEvent[]): void
}

interface Executed {
  readonly toolCallId: string
  readonly toolName: string
  answered: boolean
}

/** Calls that the server has run. They have no ids, so one is made from the turn and the entry's index. */
export function createExecutedTools(parts: OpenParts, turn: number): ExecutedTools {
  const known = new Map<number, Executed>()
  return {
    read(entries, out) {
      for (const [position, entry] of entries.entries()) {
        if (!isObject(entry)) continue
        const index = numberOf(entry['index']) ?? position
        const call = known.get(index) ?? announce(parts, entry, `call_${turn}_${index}`, out)
        known.set(index, call)
        const output = textOf(entry['output'])
        if (output === undefined || call.answered) continue
        call.answered = true
        const { toolCallId, toolName } = call
        out.push({
          type: 'tool-result',
          part: parts.next++,
          toolCallId,
          toolName,
          output: { type: 'text', value: output },
          providerMetadata: parts.providerMetadata({ executed: entry }),
        })
      }
    },
  }
}

function announce(parts: OpenParts, entry: JsonObject, toolCallId: string, out: TurnEvent[]): Executed {
  closeParts(parts, out)
  const toolName = textOf(entry['name']) ?? textOf(entry['type']) ?? 'tool'
  const part = parts.next++
  const inputText = textOf(entry['arguments']) ?? ''
  const wire = parts.providerMetadata({ executed: entry })
  out.push({ type: 'tool-call-start', part, toolCallId, toolName, owner: 'provider' })
  out.push({
    type: 'tool-call',
    part,
    toolCallId,
    toolName,
    ...parseToolInput(inputText),
    inputText,
    owner: 'provider',
    providerMetadata: wire,
  })
  return { toolCallId, toolName, answered: false }
}
