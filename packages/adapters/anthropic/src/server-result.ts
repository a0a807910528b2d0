import {
  arrayOf,
  objectOf,
  ownMetadata,
  textOf,
  type JsonObject,
  type Origin,
  type ToolOutput,
  type TurnEvent,
  type TurnRequest,
} from '@steploop/core/adapter'

export interface ResultReader {
  /** A call of this answer, so that its result finds the tool's name. */
  remember(id: string | undefined, name: string | undefined): void
  read(part: number, block: JsonObject): TurnEvent
}

/** Reads the results of tools that the provider ran: any block whose type ends in `_tool_result`. */
export function createResultReader(request: TurnRequest, origin: Origin): ResultReader {
  const names = new Map<string | undefined, string>()
  return {
    remember(id, name) {
      if (name !== undefined) names.set(id, name)
    },
    read(part, block) {
      const { content: _content, ...rest } = block
      const id = String(block['tool_use_id'])
      const call = names.has(id) ? undefined : earlierCall(request, origin, id)
      const toolName = names.get(id) ?? call?.toolName
      const { provider, model } = origin
      // A result of a call that is not known keeps its position.
      if (toolName === undefined) return { type: 'opaque', part, providerMetadata: { provider, model, data: block } }
      const output = outputOf(block)
      // The content of an error is kept beside the output, which holds a reading of it; otherwise the output is the content.
      const data = output.type === 'error' ? block : rest
      return {
        type: 'tool-result',
        part,
        toolCallId: call?.toolCallId ?? id,
        toolName,
        output,
        providerMetadata: { provider, model, data },
      }
    },
  }
}

/** The call may be in an earlier response: of a turn that paused, or of one whose code made the call. */
function earlierCall(
  request: TurnRequest,
  origin: Origin,
  id: string,
): { readonly toolCallId: string; readonly toolName: string } | undefined {
  for (const message of request.messages) {
    if (message.role !== 'assistant') continue
    const call = message.content.find(
      (part) => part.type === 'tool-call' && objectOf(ownMetadata(part, origin.provider))['id'] === id,
    )
    if (call?.type === 'tool-call') return call
  }
  return undefined
}

/** A failed server tool does not fail the turn (docs/wire.md#failed-server-tools). */
function outputOf(block: JsonObject): ToolOutput {
  const { content } = block
  const fault = String(objectOf(content)['type']).endsWith('_error') ? objectOf(content) : undefined
  if (fault === undefined && block['is_error'] !== true) {
    return typeof content === 'string' ? { type: 'text', value: content } : { type: 'json', value: content }
  }
  const errorCode = textOf(fault?.['error_code'])
  const said = textOf(fault?.['error_message']) ?? errorCode ?? plainText(content)
  const message = said ?? 'The tool failed at the provider.'
  return { type: 'error', value: { code: 'tool-failed', message, ...(errorCode && { errorCode }) } }
}

function plainText(content: unknown): string | undefined {
  const texts = arrayOf(content).map((block) => textOf(objectOf(block)['text']))
  return textOf(content) ?? textOf(texts.join(''))
}
