import {
  arrayOf,
  encodeToolList,
  isObject,
  objectOf,
  type FunctionToolDefinition,
  type JsonSchema,
  type Origin,
  type ToolDefinition,
  type Warn,
} from '@steploop/core/adapter'
import type { WireTool } from './vendor-types.ts'
import { wireToolName } from './names.ts'
import { supportedSchema } from './schema.ts'

/** The turn's tools as elements of the body's `tools`. */
export function encodeTools(tools: readonly ToolDefinition[], warn: Warn, { provider }: Origin): string {
  const { isStrict, reason } = strictness(tools)
  return encodeToolList(tools, {
    provider,
    warn,
    encode(tool, path) {
      if (tool.strict === true && !isStrict) {
        const message = `'${tool.name}' is sent without \`strict_tools\`: ${reason}`
        warn({ type: 'coerced', path: `${path}.strict`, message })
      }
      const parameters = isStrict ? supportedSchema(tool.inputSchema, `${path}.inputSchema`, warn) : tool.inputSchema
      return JSON.stringify({ ...tool.providerOptions?.[provider], ...functionTool(tool, parameters, { path, warn }) })
    },
  })
}

function functionTool(
  tool: FunctionToolDefinition,
  parameters: JsonSchema,
  { path, warn }: { readonly path: string; readonly warn: Warn },
): WireTool {
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
      parameters: { ...parameters },
    },
  }
}

/**
 * Strictness is one switch for all tools, and refused where a tool has optional parameters only
 * (https://docs.cohere.com/docs/structured-outputs#structured-outputs-tools). `reason`: why the tools that want it do not get it.
 */
export function strictness(all: readonly ToolDefinition[]): { readonly isStrict: boolean; readonly reason?: string } {
  const tools = all.filter((tool) => tool.type === 'function')
  const wanted = tools.filter((tool) => tool.strict === true)
  if (wanted.length === 0) return { isStrict: false }
  const reason = reasonAgainst(tools, wanted.length)
  return reason === undefined ? { isStrict: true } : { isStrict: false, reason }
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
