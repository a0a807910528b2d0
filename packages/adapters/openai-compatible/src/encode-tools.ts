import {
  encodeToolList,
  objectOf,
  strictSchema,
  type FunctionToolDefinition,
  type ToolChoice,
  type ToolDefinition,
  type Warn,
  type Warning,
} from '@steploop/core/adapter'
import type { ChatCompletionFunctionTool, ChatCompletionToolChoiceOption } from 'openai/resources/chat/completions'
import type { EncodeOptions } from './encode-assistant.ts'
import { wireToolName } from './names.ts'

/** `tool_choice`; what the provider does not honour becomes `auto`. */
export function encodeToolChoice(choice: ToolChoice, options: EncodeOptions, warnings: Warning[]): unknown {
  const { toolChoice: words, toolName } = options.dialect
  if (typeof choice === 'object') {
    const name = wireToolName(choice.toolName, toolName)
    if (words.tool ?? true) return { type: 'function', function: { name } } satisfies ChatCompletionToolChoiceOption
  } else {
    const word = choice === 'auto' ? choice : (words[choice] ?? choice)
    if (word !== false) return word
  }
  const kind = typeof choice === 'object' ? choice.type : choice
  const message = `${options.provider} does not honour the tool choice '${kind}'; 'auto' is sent`
  warnings.push({ type: 'coerced', path: 'toolChoice', message })
  return 'auto' satisfies ChatCompletionToolChoiceOption
}

/** The elements of `tools`. */
export function encodeTools(tools: readonly ToolDefinition[], warn: Warn, options: EncodeOptions): string {
  const encode = (tool: FunctionToolDefinition, path: string): string =>
    JSON.stringify(functionTool(tool, path, warn, options))
  return encodeToolList(tools, { provider: options.provider, warn, encode })
}

function functionTool(
  tool: FunctionToolDefinition,
  path: string,
  warn: Warn,
  { dialect, provider }: EncodeOptions,
): ChatCompletionFunctionTool {
  const { function: inFunction, ...beside } = objectOf(tool.providerOptions?.[provider])
  const plain = dialect.schema(tool.inputSchema)
  const strict = tool.strict === true && dialect.strict ? strictSchema(plain) : undefined
  if (tool.strict === true && strict === undefined) {
    const message = `the schema of '${tool.name}' is sent without \`strict\`: ${dialect.strict ? 'strict mode wants every property required and every object closed' : 'the provider does not know it'}`
    warn({ type: 'coerced', path: `${path}.strict`, message })
  }
  return {
    ...beside,
    type: 'function',
    function: {
      ...objectOf(inFunction),
      name: wireToolName(tool.name, dialect.toolName),
      ...(tool.description !== undefined && { description: tool.description }),
      parameters: strict ?? plain,
      ...(strict !== undefined && { strict: true }),
    },
  }
}
