import { isObject } from '@steploop/core/adapter'
import type { ScriptedAnswer, ScriptedObject } from '../script.ts'

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

/** An answer whose calls bear the names that the request declares, where the script tells tools by their descriptions. */
export function asDeclared(answer: ScriptedAnswer, tools: () => readonly OfferedTool[]): ScriptedAnswer {
  const parts = answer.parts.map((part) => {
    const own =
      part.type === 'call' && part.described !== undefined
        ? tools().find(({ description }) => description === part.described)
        : undefined
    return part.type === 'call' && own !== undefined ? { ...part, toolName: own.name } : part
  })
  return { ...answer, parts }
}

/** The model does what it is asked for: it calls the tool that is offered for the object, or writes the object down. */
export function objectAnswer({ toolName, input }: ScriptedObject, tools: readonly OfferedTool[]): ScriptedAnswer {
  const isOffered = tools.some(({ name }) => name === toolName)
  return {
    type: 'answer',
    parts: [isOffered ? { type: 'call', toolName, input } : { type: 'text', text: JSON.stringify(input) }],
  }
}
