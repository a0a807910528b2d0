import type { Conversation, DeclaredTool, Item } from '@steploop/conformance/cli'
import type { Difference, Pair } from './finding.ts'

/** Every provider takes such a name. */
const plainName = /^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/

/** Ours with the names that the recorded client gave its tools, where an adapter has to clean them, and what that changed. */
export function withRecordedNames({ recorded, ours }: Pair<Conversation>): {
  readonly ours: Conversation
  readonly cleaned: readonly Difference[]
} {
  const names = new Map(
    lastOfEachName(recorded.tools).flatMap((tool, at): [string, string][] => {
      const own = ours.tools[at]
      const isCleaned = own !== undefined && own.name !== tool.name && plainName.test(own.name)
      return isCleaned && !plainName.test(tool.name) && own.description === tool.description
        ? [[own.name, tool.name]]
        : []
    }),
  )
  if (names.size === 0) return { ours, cleaned: [] }
  const nameOf = (name: string): string => names.get(name) ?? name
  const items = ours.items.map((item): Item => {
    return 'toolName' in item && item.toolName !== undefined ? { ...item, toolName: nameOf(item.toolName) } : item
  })
  const tools = ours.tools.map((tool) => ({ ...tool, name: nameOf(tool.name) }))
  const choice =
    typeof ours.choice === 'object' ? { ...ours.choice, toolName: nameOf(ours.choice.toolName) } : ours.choice
  const difference: Difference = {
    what: 'tools',
    where: '',
    recorded: [...names.values()].join(', '),
    ours: [...names.keys()].join(', '),
    allowed: ['clean-names'],
  }
  return { ours: { ...ours, items, tools, choice }, cleaned: [difference] }
}

/** A name that is declared twice is the last of the two, at the place of the first: so an object of tools has it. */
export function lastOfEachName<Tool extends Pick<DeclaredTool, 'name'>>(tools: readonly Tool[]): readonly Tool[] {
  return [...new Map(tools.map((tool) => [tool.name, tool])).values()]
}
