import {
  arrayOf,
  encodeToolList,
  isObject,
  objectOf,
  type FunctionToolDefinition,
  type Origin,
  type ToolDefinition,
  type Warn,
} from '@steploop/core/adapter'
import type { WireTool } from './vendor-types.ts'
import { wireToolName } from './names.ts'

/** The turn's tools as elements of the body's `tools`. */
export function encodeTools(tools: readonly ToolDefinition[], warn: Warn, { provider }: Origin): string {
  return encodeToolList(tools, {
    provider,
    warn,
    encode: (tool, path) => JSON.stringify({ ...tool.providerOptions?.[provider], ...functionTool(tool, path, warn) }),
  })
}

function functionTool(tool: FunctionToolDefinition, path: string, warn: Warn): WireTool {
  const name = wireToolName(tool.name)
  if (name !== tool.name) {
    const message = `Cohere takes names of letters, digits and _ only: '${tool.name}' is called ${name} on the wire`
    warn({ type: 'coerced', path: `${path}.name`, message })
  }
  return {
    type: 'function',
    function: {
      name,
      ...(tool.description !== undefined && { description: tool.description }),
      parameters: { ...tool.inputSchema },
    },
  }
}

/**
 * Strictness is one switch for all tools, and refused where a tool has optional parameters only
 * (https://docs.cohere.com/docs/structured-outputs#structured-outputs-tools).
 */
export function encodeStrict(all: readonly ToolDefinition[], warn: Warn): 'true' | '' {
  const tools = all.filter((tool) => tool.type === 'function')
  const wanted = tools.filter((tool) => tool.strict === true)
  if (wanted.length === 0) return ''
  const reason = reasonAgainst(tools, wanted.length)
  if (reason === undefined) return 'true'
  for (const tool of wanted) {
    const message = `'${tool.name}' is sent without \`strict_tools\`: ${reason}`
    warn({ type: 'coerced', path: `tools[${all.indexOf(tool)}].strict`, message })
  }
  return ''
}

const mostFields = 200

function reasonAgainst(tools: readonly FunctionToolDefinition[], wanted: number): string | undefined {
  if (wanted < tools.length) return 'it holds for all of them, and not all are strict'
  const optional = tools.find(({ inputSchema }) => hasOnlyOptional(inputSchema))
  if (optional !== undefined) return `'${optional.name}' has no parameter that is required`
  const fields = tools.reduce((sum, { inputSchema }) => sum + fieldsOf(inputSchema), 0)
  return fields > mostFields ? `they have ${fields} parameters, and ${mostFields} is the most` : undefined
}

function hasOnlyOptional({ properties, required }: FunctionToolDefinition['inputSchema']): boolean {
  return Object.keys(objectOf(properties)).length > 0 && arrayOf(required).length === 0
}

function fieldsOf(schema: unknown): number {
  if (!isObject(schema)) return 0
  const inner = Object.values(objectOf(schema['properties']))
  return inner.reduce<number>((sum, property) => sum + 1 + fieldsOf(property), fieldsOf(schema['items']))
}
