import {
  fromJsonSchema,
  ProtocolError,
  SdkError,
  SdkErrorCode,
  type CallToolResult,
  type Client,
  type JsonSchemaType,
  type Tool,
} from '@modelcontextprotocol/client'
import type { ToolContext, ToolOutput } from '@steploop/core'
import { isForgotten, type Connection } from './connection.ts'
import { failed, mapResult } from './map-result.ts'
import { causeText, shorten } from './mcp-error.ts'
import type { McpCall, McpOptions, Warn } from './options.ts'
import { markCall, markToolError, traceContext } from './trace-context.ts'

export interface CallerOptions {
  readonly definition: Tool
  readonly connection: Connection
  readonly options: McpOptions
  /** Calls under way. */
  readonly calls: Set<McpCall>
  readonly warn: Warn
}

/** The longest time that there is for a timer: the loop's own is the only one that counts. */
const never = 2 ** 31 - 1

type Execute = (input: Record<string, unknown>, context: ToolContext) => Promise<ToolOutput>

/** What runs the calls of a tool: each is sent once, and whatever goes wrong with it is its answer. */
export function createCaller({ definition, connection, calls, warn }: CallerOptions): Execute {
  const { name } = definition
  // The SDK would compile it for every call, and would refuse the call where it cannot.
  const { outputSchema: _unchecked, ...toolDefinition } = definition
  const check = createCheck(definition, warn)
  return async (input, { toolCallId, signal, report }) => {
    const call: McpCall = { toolCallId, toolName: name, input, signal }
    let client: Client | undefined
    const cancelling = new AbortController()
    const onAbort = (): void => cancelSoon(cancelling)
    const reportSafely: typeof report = (progress) => {
      try {
        report(progress)
      } catch (cause) {
        // The call was made: what watches it cannot undo that.
        warn({ type: 'hook-failed', toolName: name, message: `\`report\` failed: ${causeText(cause)}` })
      }
    }
    try {
      client = connection.ready() ?? (await connection.open())
      if (signal.aborted) return failed('The call was given up before it was sent.', { server: connection.server })
      signal.addEventListener('abort', onAbort)
      calls.add(call)
      markCall({
        protocolVersion: client.getNegotiatedProtocolVersion(),
        sessionId: client.transport?.sessionId,
      })
      const meta = traceContext()
      const params = { name, arguments: input, ...(meta !== undefined && { _meta: meta }) }
      const onprogress = ({ progress, total, message }: Parameters<typeof report>[0]): void =>
        reportSafely({ progress, total, message })
      const requestOptions = { signal: cancelling.signal, timeout: never, onprogress }
      // Beside its check of the result, `callTool` is for the headers that 2026-07-28 makes of arguments.
      const result = await (client.getProtocolEra() === 'modern'
        ? client.callTool(params, { ...requestOptions, toolDefinition })
        : client.request({ method: 'tools/call', params }, requestOptions))
      if (result.isError === true) markToolError()
      const problem = check === undefined ? undefined : await check(result)
      if (problem !== undefined)
        warn({ type: 'invalid-result', toolName: name, message: `The tool '${name}': ${problem}` })
      const { output, forUser } = mapResult(result, { server: connection.server, problem })
      if (forUser.length > 0) reportSafely({ content: forUser })
      return output
    } catch (cause) {
      if (client !== undefined && isForgotten(cause)) connection.drop(client)
      return failureOf(cause, connection)
    } finally {
      signal.removeEventListener('abort', onAbort)
      calls.delete(call)
    }
  }
}

/** The run has ended by then: nobody waits until the server has been told. */
function cancelSoon(cancelling: AbortController): void {
  setTimeout(() => cancelling.abort('The call is not wanted any more.'))
}

function failureOf(cause: unknown, { server, redact }: Connection): ToolOutput {
  const message = causeText(cause, redact)
  if (cause instanceof ProtocolError) return failed(message, { server, rpcCode: cause.code })
  if (cause instanceof SdkError && cause.code === SdkErrorCode.ConnectionClosed) {
    const lost = `The connection to ${server} was lost during the call. It may have been carried out, and was not sent again.`
    return failed(lost, { server })
  }
  return failed(message, { server })
}

type Check = (result: CallToolResult) => Promise<string | undefined>

/** What a result has that is not what the tool promises. The schema is compiled when it is needed first. */
function createCheck({ name, outputSchema }: Tool, warn: Warn): Check | undefined {
  if (outputSchema === undefined) return undefined
  let validator: ReturnType<typeof fromJsonSchema> | undefined
  let broken = false
  return async ({ structuredContent, isError }) => {
    if (isError === true || broken) return undefined
    if (structuredContent === undefined) {
      const message = `The tool '${name}' promises data by its \`outputSchema\` and gave none. The model gets what else it gave.`
      warn({ type: 'invalid-result', toolName: name, message })
      return undefined
    }
    try {
      // The SDK's validator is one for all servers, and takes schemas of one `$id` for the same.
      const { $id: _id, ...schema } = outputSchema
      validator ??= fromJsonSchema(schema as JsonSchemaType)
      const checked = await validator['~standard'].validate(structuredContent)
      const issue = checked.issues?.[0]?.message
      return issue === undefined ? undefined : shorten(issue, 500)
    } catch (cause) {
      broken = true
      const message = `The \`outputSchema\` of the tool '${name}' cannot be checked against: ${causeText(cause)}`
      warn({ type: 'schema-ignored', toolName: name, message })
      return undefined
    }
  }
}
