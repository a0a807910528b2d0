import type { Tool, ToolChoice as VendorToolChoice } from '@anthropic-ai/sdk/resources/messages'
import {
  encodeToolList,
  type FunctionToolDefinition,
  type ToolChoice,
  type ToolDefinition,
  type Warn,
} from '@steploop/core/adapter'
import { sanitiseSchema } from './schema.ts'
import { wireToolName } from './names.ts'

/** The elements of `tools`. Provider tools go in as they are defined, those of other providers are left out. */
export function encodeTools(tools: readonly ToolDefinition[], provider: string, warn: Warn): string {
  return encodeToolList(tools, {
    provider,
    warn,
    encode: (tool, path) => functionTool(tool, { provider, path, warn }),
    leftOut: ({ name, provider: other }) => `\`${name}\` is a tool of ${other}; it is left out.`,
  })
}

interface ToolScope {
  readonly provider: string
  readonly path: string
  readonly warn: Warn
}

function functionTool(tool: FunctionToolDefinition, { provider, path, warn }: ToolScope): string {
  const name = wireToolName(tool.name)
  if (name !== tool.name) {
    const message = `The API takes names of letters, digits, _ and - only: \`${tool.name}\` is called ${name} on the wire.`
    warn({ type: 'coerced', path: `${path}.name`, message })
  }
  const schema = tool.strict ? sanitiseSchema(tool.inputSchema, `${path}.inputSchema`, warn) : tool.inputSchema
  for (const keyword of ['anyOf', 'oneOf', 'allOf']) {
    if (schema[keyword] === undefined) continue
    const message = `The API refuses ${keyword} at the root of a tool's schema; put it below a property.`
    warn({ type: 'unsupported', path: `${path}.inputSchema`, message })
  }
  const definition = {
    ...tool.providerOptions?.[provider],
    name,
    ...(tool.description !== undefined && { description: tool.description }),
    input_schema: { ...schema, type: 'object' },
    ...(tool.strict && { strict: true }),
  } satisfies Tool
  return JSON.stringify(definition)
}

export interface ChoiceConditions {
  readonly parallel: boolean | undefined
  /** Why a forced choice would be refused; `undefined` when it is taken. */
  readonly unforced: string | undefined
}

/** `undefined`: nothing to send, the provider's default is `auto`. */
export function encodeToolChoice(
  choice: ToolChoice | undefined,
  conditions: ChoiceConditions,
  warn: Warn,
): string | undefined {
  if (choice === 'none') return JSON.stringify({ type: 'none' } satisfies VendorToolChoice)
  const single = conditions.parallel === false ? { disable_parallel_tool_use: true } : {}
  if (choice === undefined && conditions.parallel !== false) return undefined
  if (choice === undefined || choice === 'auto')
    return JSON.stringify({ type: 'auto', ...single } satisfies VendorToolChoice)
  if (conditions.unforced !== undefined) {
    const message = `A forced tool choice is sent as auto: ${conditions.unforced}.`
    warn({ type: 'coerced', path: 'toolChoice', message })
    return JSON.stringify({ type: 'auto', ...single } satisfies VendorToolChoice)
  }
  if (choice === 'required') return JSON.stringify({ type: 'any', ...single } satisfies VendorToolChoice)
  return JSON.stringify({ type: 'tool', name: wireToolName(choice.toolName), ...single } satisfies VendorToolChoice)
}
