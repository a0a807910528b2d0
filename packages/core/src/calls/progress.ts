import type { ToolProgress } from '../contract/progress.ts'
import type { LoopEvent } from '../contract/loop-events.ts'
import { isObject, numberOf } from '../wire/json.ts'
import { toJsonValue } from '../wire/json-value.ts'
import { freezeData } from '../tools/own-data.ts'
import { withoutUndefined } from '../wire/without-undefined.ts'

export type ProgressEvent = Extract<LoopEvent, { type: 'tool-progress' }>

/** What of it can be told; `undefined`: nothing. Tools give odd values, and a report must not fail a call. */
export function readProgress(given: unknown): ToolProgress | undefined {
  if (!isObject(given)) return undefined
  const { progress, total, message, content } = given
  const parts =
    Array.isArray(content) && content.length > 0 ? (toJsonValue(content) as ToolProgress['content']) : undefined
  const shown = withoutUndefined({
    progress: numberOf(progress),
    total: numberOf(total),
    message: typeof message === 'string' ? message : undefined,
    content: freezeData(parts),
  })
  return Object.keys(shown).length === 0 ? undefined : shown
}

/** The newest report of a call takes the place of one that was not read yet: however fast a tool reports, no more than one waits. */
export function addEvent(events: LoopEvent[], event: LoopEvent): void {
  const at = event.type === 'tool-progress' ? events.findIndex((waiting) => isOlder(waiting, event)) : -1
  if (at === -1) events.push(event)
  else events[at] = event
}

/** Content is told once, and is lost if it is not. */
function isOlder(waiting: LoopEvent, event: ProgressEvent): boolean {
  return waiting.type === 'tool-progress' && waiting.toolCallId === event.toolCallId && waiting.content === undefined
}
