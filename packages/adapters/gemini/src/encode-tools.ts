import type { FunctionCallingConfig, FunctionDeclaration, Tool } from '@google/genai'
import {
  joinJson,
  type FunctionToolDefinition,
  type JsonObject,
  type ToolChoice,
  type ToolDefinition,
  type Warn,
} from '@steploop/core/adapter'
import { sanitiseSchema } from './schema.ts'
import { wireToolName, type Plain } from './names.ts'

/** The elements of `tools`: all functions in one, then provider tools as they are defined; those of other providers are left out. */
export function encodeTools(tools: readonly ToolDefinition[], provider: string, warn: Warn): string {
  const functions: string[] = []
  const encoded: string[] = []
  tools.forEach((tool, index) => {
    if (tool.type === 'function') functions.push(declaration(tool, { provider, path: `tools[${index}]`, warn }))
    else if (tool.provider === provider) encoded.push(JSON.stringify(tool.definition))
    else {
      const message = `\`${tool.name}\` is a tool of ${tool.provider}; it is left out.`
      warn({ type: 'dropped', path: `tools[${index}]`, message })
    }
  })
  const name: keyof Tool = 'functionDeclarations'
  if (functions.length > 0) encoded.unshift(`{${JSON.stringify(name)}:[${joinJson(functions)}]}`)
  return joinJson(encoded)
}

interface ToolScope {
  readonly provider: string
  readonly path: string
  readonly warn: Warn
}

function declaration(tool: FunctionToolDefinition, { provider, path, warn }: ToolScope): string {
  const name = wireToolName(tool.name)
  if (name !== tool.name) {
    const message = `The API takes names of letters, digits and _ . : - only, at most 128: \`${tool.name}\` is called ${name} on the wire.`
    warn({ type: 'coerced', path: `${path}.name`, message })
  }
  return JSON.stringify({
    ...tool.providerOptions?.[provider],
    name,
    ...(tool.description !== undefined && { description: tool.description }),
    parametersJsonSchema: { ...sanitiseSchema(tool.inputSchema, `${path}.inputSchema`, warn), type: 'object' },
  } satisfies Plain<FunctionDeclaration>)
}

/** `undefined`: nothing to send, the default is `AUTO`. `VALIDATED` is `AUTO` with calls held to their schemas. */
export function callingConfig(
  choice: ToolChoice | undefined,
  tools: readonly ToolDefinition[] | undefined,
): JsonObject | undefined {
  if (!tools?.some((tool) => tool.type === 'function')) return undefined
  const isStrict = tools.some((tool) => tool.type === 'function' && tool.strict)
  return configOf(choice ?? (isStrict ? 'auto' : undefined), isStrict)
}

function configOf(choice: ToolChoice | undefined, isStrict: boolean): Plain<FunctionCallingConfig> | undefined {
  switch (choice) {
    case undefined:
      return undefined
    case 'auto':
      return { mode: isStrict ? 'VALIDATED' : 'AUTO' }
    case 'none':
      return { mode: 'NONE' }
    case 'required':
      return { mode: 'ANY' }
    default:
      return { mode: 'ANY', allowedFunctionNames: [wireToolName(choice.toolName)] }
  }
}

/** Built-in tools that run apart from the answer; code runs inside it. */
const withoutInvocations = new Set(['codeExecution', 'computerUse', 'functionDeclarations'])

/** True when the provider runs tools whose calls it can show and wants back. */
export function hasServerTools(tools: readonly ToolDefinition[] | undefined, provider: string): boolean {
  return (
    tools?.some(
      (tool) =>
        tool.type === 'provider' &&
        tool.provider === provider &&
        Object.keys(tool.definition).some((name) => !withoutInvocations.has(name)),
    ) === true
  )
}
