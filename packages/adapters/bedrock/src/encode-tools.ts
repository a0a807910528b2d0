import { sanitiseSchema } from '@steploop/anthropic'
import {
  encodeToolList,
  type FunctionToolDefinition,
  type JsonObject,
  type Message,
  type Origin,
  type ToolChoice,
  type ToolDefinition,
  type Warn,
  type Warning,
} from '@steploop/core/adapter'
import { bedrockCapabilities } from './capabilities.ts'
import { modelFamily } from './model-traits.ts'
import { wireToolName } from './names.ts'

/** The turn's tools as elements of `toolConfig.tools`. */
export function encodeTools(tools: readonly ToolDefinition[], warn: Warn, { provider, model }: Origin): string {
  const isClaude = modelFamily(model).name === 'claude'
  return encodeToolList(tools, {
    provider,
    warn,
    encode(tool, path) {
      const toolSpec = { ...tool.providerOptions?.[provider], ...specification(tool, { path, isClaude, warn }) }
      return JSON.stringify({ toolSpec })
    },
  })
}

function specification(
  tool: FunctionToolDefinition,
  { path, isClaude, warn }: { readonly path: string; readonly isClaude: boolean; readonly warn: Warn },
): JsonObject {
  const name = wireToolName(tool.name)
  if (name !== tool.name) {
    const message = `Converse takes names of letters, digits, _ and - only: '${tool.name}' is called ${name} on the wire`
    warn({ type: 'coerced', path: `${path}.name`, message })
  }
  const isStrict = tool.strict === true && isClaude
  if (tool.strict === true && !isClaude) {
    const message = `Converse does not enforce the schema of a tool for this model; '${tool.name}' is sent without \`strict\``
    warn({ type: 'coerced', path: `${path}.strict`, message })
  }
  const schema = isStrict ? sanitiseSchema(tool.inputSchema, `${path}.inputSchema`, warn) : tool.inputSchema
  return {
    name,
    // An empty description is refused.
    ...(tool.description && { description: tool.description }),
    inputSchema: { json: { ...schema, type: 'object' } },
    ...(isStrict && { strict: true }),
  }
}

/** The tools that a history called, for a turn without any: "toolConfig must be defined when using toolUse and toolResult content blocks". */
export function calledTools(messages: readonly Message[], warn: Warn): readonly FunctionToolDefinition[] {
  const calls = messages.flatMap(({ role, content }) =>
    role === 'assistant' ? content.filter((part) => part.type === 'tool-call' && part.owner !== 'provider') : [],
  )
  const names = [...new Set(calls.flatMap((part) => (part.type === 'tool-call' ? part.toolName : [])))]
  if (names.length > 0) {
    const message = `Converse wants the tools of earlier calls declared; without a schema it gets ${names.join(', ')}`
    warn({ type: 'coerced', path: 'tools', message })
  }
  return names.map((name) => ({ type: 'function', name, inputSchema: {} }))
}

/** `undefined`: nothing to send, the model decides. */
export function encodeToolChoice(
  choice: ToolChoice | undefined,
  { model }: Origin,
  warnings: Warning[],
): JsonObject | undefined {
  if (choice === undefined || choice === 'auto') return undefined
  const kind = typeof choice === 'object' ? choice.type : choice
  if (bedrockCapabilities(model).toolChoice?.includes(kind) !== true) {
    const reason = kind === 'none' ? 'Converse has no such choice' : 'the model takes no such choice'
    warnings.push({ type: 'coerced', path: 'toolChoice', message: `'${kind}' is sent as auto: ${reason}` })
    return undefined
  }
  return typeof choice === 'object' ? { tool: { name: wireToolName(choice.toolName) } } : { any: {} }
}
