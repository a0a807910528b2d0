import {
  encodeToolList,
  objectOf,
  type FunctionToolDefinition,
  type JsonSchema,
  type Origin,
  type ToolDefinition,
  type Warn,
} from '@steploop/core/adapter'
import type { Tool } from 'ollama'

/** The turn's tools as elements of the body's `tools`. */
export function encodeTools(tools: readonly ToolDefinition[], warn: Warn, { provider }: Origin): string {
  return encodeToolList(tools, {
    provider,
    warn,
    encode: (tool, path) => JSON.stringify({ ...tool.providerOptions?.[provider], ...functionTool(tool, path, warn) }),
  })
}

function functionTool(tool: FunctionToolDefinition, path: string, warn: Warn): Tool {
  if (tool.strict === true) {
    const message = `Ollama does not enforce the schema of a tool; '${tool.name}' is sent without \`strict\``
    warn({ type: 'coerced', path: `${path}.strict`, message })
  }
  return {
    type: 'function',
    function: {
      name: tool.name,
      ...(tool.description !== undefined && { description: tool.description }),
      parameters: parametersOf(tool.inputSchema),
    },
  }
}

type Parameters = NonNullable<Tool['function']['parameters']>

/**
 * The server reads parameters into fixed types and refuses the whole request when one does not fit: `type` at the root is a text,
 * `required` a list of texts, and every property an object. Members that it does not know it skips.
 */
function parametersOf({ required, properties, ...rest }: JsonSchema): Parameters {
  return {
    ...rest,
    type: 'object',
    ...(Array.isArray(required) && { required: required.filter((name) => typeof name === 'string') }),
    properties: propertiesOf(properties),
  }
}

function propertiesOf(properties: unknown): Record<string, JsonSchema> {
  return Object.fromEntries(Object.entries(objectOf(properties)).map(([name, schema]) => [name, propertyOf(schema)]))
}

/** `true` and `false` are schemas too, but not for Ollama. */
function propertyOf(schema: unknown): JsonSchema {
  const { properties, anyOf, ...rest } = objectOf(schema)
  return {
    ...rest,
    ...(properties !== undefined && { properties: propertiesOf(properties) }),
    ...(Array.isArray(anyOf) && { anyOf: anyOf.map(propertyOf) }),
  }
}
