import { ProtocolError, ProtocolErrorCode, type Client, type ElicitResult } from '@modelcontextprotocol/client'
import { causeText } from './mcp-error.ts'
import type { McpCall, McpOptions, Warn } from './options.ts'

export interface AnswerOptions {
  readonly options: McpOptions
  /** Calls that wait for the server. */
  readonly calls: ReadonlySet<McpCall>
  readonly warn: Warn
}

/** What a server asks its client: of the user, and of a model. */
export function answerRequests(client: Client, { options, calls, warn }: AnswerOptions): void {
  const { onElicit, onSample } = options
  client.setRequestHandler('elicitation/create', async ({ params }, { mcpReq }): Promise<ElicitResult> => {
    if (onElicit === undefined) return { action: 'decline' }
    try {
      return await onElicit(params, callOf(calls, mcpReq.signal))
    } catch (cause) {
      warn({
        type: 'hook-failed',
        message: `\`onElicit\` failed, so the server was told that nobody answers: ${causeText(cause)}`,
      })
      return { action: 'cancel' }
    }
  })
  if (onSample === undefined) return
  client.setRequestHandler('sampling/createMessage', async ({ params }, { mcpReq }) => {
    try {
      return await onSample(params, callOf(calls, mcpReq.signal))
    } catch (cause) {
      // The server is a stranger: what a provider said of a key, say, is not for it.
      const message = `\`onSample\` failed, so the server was told that no model answers: ${causeText(cause)}`
      warn({ type: 'hook-failed', message })
      throw new ProtocolError(ProtocolErrorCode.InternalError, 'No model answers.')
    }
  })
}

function callOf(calls: ReadonlySet<McpCall>, signal: AbortSignal): McpCall {
  const [call] = calls.size === 1 ? calls : []
  return { ...call, signal: call === undefined ? signal : AbortSignal.any([signal, call.signal]) }
}
