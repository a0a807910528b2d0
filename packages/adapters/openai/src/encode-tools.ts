import { encodeToolList, strictSchema, type ToolDefinition, type TurnRequest, type Warn } from '@steploop/core/adapter'
import type { FunctionTool, ResponseCreateParams } from 'openai/resources/responses/responses'
import type { ResponsesOptions } from './dialect.ts'
import { wireToolName } from './names.ts'

type ToolFields = Pick<ResponseCreateParams, 'tool_choice' | 'parallel_tool_calls'>

/** How the model may use its tools. */
export function toolFields(request: TurnRequest, options: ResponsesOptions, warn: Warn): ToolFields | undefined {
  if (request.tools === undefined) return undefined
  const { toolChoice, settings } = request
  const parallel = settings?.parallelToolCalls
  const parallelField = parallel === undefined ? {} : { parallel_tool_calls: parallel }
  if (toolChoice === undefined) return parallelField
  const kind = typeof toolChoice === 'string' ? toolChoice : 'tool'
  if (options.toolChoice?.includes(kind) === false) {
    const message = `'${options.provider}' does not honour tool choice '${kind}'; 'auto' was sent`
    warn({ type: 'coerced', path: 'toolChoice', message })
    return { tool_choice: 'auto', ...parallelField }
  }
  if (typeof toolChoice === 'string') return { tool_choice: toolChoice, ...parallelField }
  return { tool_choice: chosenTool(toolChoice.toolName, request.tools), ...parallelField }
}

/** Provider tools are chosen by type, custom tools and MCP servers also by name. */
function chosenTool(toolName: string, tools: readonly ToolDefinition[]): NonNullable<ToolFields['tool_choice']> {
  const tool = tools.find((candidate) => candidate.name === toolName)
  if (tool?.type !== 'provider') return { type: 'function', name: wireToolName(toolName) }
  const { type, name, server_label } = tool.definition
  const chosen = { type, ...(type === 'custom' && { name }), ...(type === 'mcp' && { server_label }) }
  return chosen as NonNullable<ToolFields['tool_choice']>
}

/** The elements of `tools`. */
export function encodeTools(tools: readonly ToolDefinition[], provider: string, warn: Warn): string {
  return encodeToolList(tools, {
    provider,
    warn,
    leftOut: (tool) => `'${tool.name}' is a tool of '${tool.provider}', not of '${provider}'`,
    encode(tool, path) {
      const { name, description, inputSchema } = tool
      const strict = tool.strict === true ? strictSchema(inputSchema) : undefined
      if (tool.strict === true && strict === undefined) {
        const message = `strict mode cannot express the schema of '${name}' (optional or open properties, or a keyword it refuses), so it is not enforced`
        warn({ type: 'coerced', path: `${path}.strict`, message })
      }
      return JSON.stringify({
        ...tool.providerOptions?.[provider],
        type: 'function',
        name: wireToolName(name),
        ...(description !== undefined && { description }),
        parameters: { ...(strict ?? inputSchema) },
        // Never left out: the default is true, and the API then makes optional properties mandatory.
        strict: strict !== undefined,
      } satisfies FunctionTool)
    },
  })
}
