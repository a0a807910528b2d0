import type { LoopEvent, Message, ToolResultPart, Transcript } from '@steploop/core'
import { withMessages } from './chat-data.ts'

/**
 * Keeps, from the events of a run, the conversation as far as it has come: after each step that is done. It is what is left when the server
 * dies; a run that ends has a transcript of its own.
 */
export function createCheckpoint(start: Transcript): (event: LoopEvent) => Transcript | undefined {
  let reached = start
  /** Results of calls that waited when the run began. */
  let earlier: ToolResultPart[] = []
  let isInStep = false
  const grow = (messages: readonly Message[]): Transcript => (reached = withMessages(reached, messages))
  return (event) => {
    if (event.type === 'tool-result' && !isInStep) {
      const { toolCallId, toolName, output } = event
      earlier.push({ type: 'tool-result', toolCallId, toolName, output })
    }
    if (event.type === 'step-start') {
      isInStep = true
      const content = earlier
      earlier = []
      return content.length === 0 ? undefined : grow([{ role: 'tool', content }])
    }
    if (event.type !== 'step-end') return undefined
    const { message, toolResults, toolCalls } = event.step
    const answered = new Set(toolResults.map(({ toolCallId }) => toolCallId))
    // The run is about to end: its own transcript says what waits.
    if (toolCalls.some(({ owner, toolCallId }) => owner !== 'provider' && !answered.has(toolCallId))) return undefined
    return grow(toolResults.length === 0 ? [message] : [message, { role: 'tool', content: toolResults }])
  }
}
