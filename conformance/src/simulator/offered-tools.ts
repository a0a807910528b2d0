import { isObject } from '@steploop/core/adapter'
import type { ScriptedAnswer, ScriptedObject, ScriptedPart, ScriptedTurn } from '../script.ts'
import { toolDescriptions } from '../tool-descriptions.ts'

export interface OfferedTool {
  readonly name: string
  readonly description?: unknown
}

/**
 * The tools that a request offers: wherever a name stands under a member `tools` or `functions`. The suite's readers of the wire formats are not asked: the
 * simulator's answers are what judges them.
 */
export function offeredTools(body: unknown): readonly OfferedTool[] {
  return namedBelow(body, false)
}

function namedBelow(value: unknown, isOfTools: boolean): readonly OfferedTool[] {
  if (Array.isArray(value)) return value.flatMap((item) => namedBelow(item, isOfTools))
  if (!isObject(value)) return []
  const { name, description } = value
  const own = isOfTools && typeof name === 'string' ? [{ name, description }] : []
  return [
    ...own,
    ...Object.entries(value).flatMap(([key, member]) =>
      namedBelow(member, isOfTools || key === 'tools' || key === 'functions'),
    ),
  ]
}

/** An answer whose calls bear the names that the request declares. */
export function asDeclared(answer: ScriptedAnswer, tools: () => readonly OfferedTool[]): ScriptedAnswer {
  const parts = answer.parts.map((part) =>
    part.type === 'call' ? { ...part, toolName: offered(part, tools())?.name ?? part.toolName } : part,
  )
  return { ...answer, parts }
}

/** A tool by its name, or where it has another one in this request, by what it does. */
function offered(called: CalledTool, tools: readonly OfferedTool[]): OfferedTool | undefined {
  const known = descriptionOf(called)
  const named = tools.find(({ name }) => name === called.toolName)
  if (named !== undefined || known === undefined) return named
  return tools.find(({ description }) => typeof description === 'string' && description.startsWith(known))
}

type CalledTool = Pick<ScriptedPart & { type: 'call' }, 'toolName' | 'described'>

function descriptionOf({ toolName, described }: CalledTool): string | undefined {
  return described ?? toolDescriptions[toolName]
}

/** The model does what it is asked for: it calls the tool that is offered for the object, or writes the object down. */
export function objectAnswer({ toolName, input }: ScriptedObject, tools: readonly OfferedTool[]): ScriptedAnswer {
  const own = offered({ toolName }, tools)
  return {
    type: 'answer',
    parts: [
      own !== undefined ? { type: 'call', toolName: own.name, input } : { type: 'text', text: JSON.stringify(input) },
    ],
  }
}

/**
 * A tool that a request has in words which nobody reads cannot be called: by a name that was not sent no provider calls it, and in place of a
 * call of the hidden tool the object would be written down.
 *
 * @throws Error that says what to do
 */
export function refuseUnread(turn: ScriptedTurn, tools: () => readonly OfferedTool[], body: unknown): void {
  const says = (words: string): boolean => JSON.stringify(body).includes(JSON.stringify(words).slice(1, -1))
  const calls = turn.type === 'answer' ? turn.parts.filter((part) => part.type === 'call') : []
  const unread = [...calls, ...(turn.type === 'object' ? [turn] : [])].find((called) => {
    const { type, toolName } = called
    const known = descriptionOf(called)
    if (known === undefined || offered(called, tools()) !== undefined) return false
    return type === 'object' ? says(known) : !says(toolName) && (says(known) || called.described !== undefined)
  })
  if (unread === undefined) return
  const fix = 'let `readRequest` of the subject give it in `tools`, with the description that was sent'
  throw new Error(`the script calls '${unread.toolName}', and nobody can tell under which name it was sent: ${fix}`)
}
