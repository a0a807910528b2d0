import type { Message, ToolResultPart, Turn } from '@steploop/core/adapter'
import { runTurn, type RecordedAnswer } from './replay.ts'

/** The request that follows a decoded turn, as far as the adapter made one. */
export interface NextRequest {
  readonly body: string | undefined
  /** Set when the adapter broke down while it encoded. */
  readonly crash: string | undefined
}

/**
 * Encodes `[user, the decoded turn, results of the caller's calls]` with the same adapter and catches the body that it sends: whatever
 * the provider wants back has to be in it.
 */
export async function nextRequest(exchange: RecordedAnswer, turn: Turn): Promise<NextRequest> {
  let body: string | undefined
  const capture = async (_input: unknown, init?: RequestInit): Promise<Response> => {
    if (typeof init?.body === 'string') body = init.body
    return Response.json({ error: { message: 'not a provider' } }, { status: 400 })
  }
  const following = { ...exchange, turn: exchange.turn + 1 }
  const replay = await runTurn(following, { messages: historyOf(turn), fetch: capture })
  return { body, crash: replay.crash ?? (body === undefined ? unsent(replay.error) : undefined) }
}

function unsent(error: Error | undefined): string {
  return `the decoded turn cannot be sent back: ${error?.message ?? 'no request with a text body was made'}`
}

function historyOf(turn: Turn): readonly Message[] {
  const before: Message = { role: 'user', content: 'Hello.' }
  const results = turn.message.content.flatMap((part): ToolResultPart[] => {
    if (part.type !== 'tool-call' || part.owner === 'provider') return []
    const { toolCallId, toolName } = part
    return [{ type: 'tool-result', toolCallId, toolName, output: { type: 'text', value: 'Done.' } }]
  })
  if (results.length > 0) return [before, turn.message, { role: 'tool', content: results }]
  // A paused turn goes back as it is; a finished one is followed by the user.
  if (turn.finishReason === 'pause') return [before, turn.message]
  return [before, turn.message, { role: 'user', content: 'Go on.' }]
}
