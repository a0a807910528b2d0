import { isObject } from '@steploop/core/adapter'
import type { ScriptedAnswer, ScriptedObject, ScriptedPart } from '../script.ts'
import { toolDescriptions } from '../tool-descriptions.ts'

export interface OfferedTool {
  readonly name: string
  readonly description?: unknown
}

/**
 * The tools that a request offers: wherever a name stands under a member `tools` or `functions`. The readers of the wire formats are not asked: the
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
function offered({ toolName, described }: CalledTool, tools: readonly OfferedTool[]): OfferedTool | undefined {
  const known = described ?? toolDescriptions[toolName]
  const named = tools.find(({ name }) => name === toolName)
  if (named !== undefined || known === undefined) return named
  return tools.find(({ description }) => typeof description === 'string' && description.startsWith(known))
}

type CalledTool = Pick<ScriptedPart & { type: 'call' }, 'toolName' | 'described'>

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
