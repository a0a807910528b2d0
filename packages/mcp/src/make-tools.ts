import type { Tool } from '@modelcontextprotocol/client'
import { tool, type FunctionTool, type ToolSet } from '@steploop/core'
import { createCaller, type CallerOptions } from './call-tool.ts'
import { cleanSchema, cleanText } from './guard.ts'
import { causeText, McpError, shorten } from './mcp-error.ts'
import type { McpOptions } from './options.ts'
import { pinOf } from './pins.ts'

export type MakeOptions = Omit<CallerOptions, 'definition'>

/** The definitions as tools of a loop, without those that nobody may or can call. Throws `McpError` `pin-mismatch`. */
export async function makeTools(definitions: readonly Tool[], options: MakeOptions): Promise<ToolSet> {
  const { warn } = options
  const tools = new Map<string, FunctionTool<Record<string, unknown>>>()
  for (const definition of definitions) {
    const leaveOut = (why: string): void =>
      warn({
        type: 'tool-left-out',
        toolName: definition.name,
        message: `The tool '${shorten(definition.name, 200)}' is left out: ${why}`,
      })
    const name = `${options.options.prefix ?? ''}${cleanText(definition.name)}`
    const why = (await mismatch(definition, options)) ?? unusable(definition)
    if (why !== undefined) leaveOut(why)
    else if (tools.has(name)) leaveOut(`another one is called '${shorten(name, 200)}' as well.`)
    else {
      try {
        tools.set(name, makeTool(name, definition, options))
      } catch (cause) {
        // A schema that is nested without end, say.
        leaveOut(`its definition cannot be read: ${causeText(cause)}`)
      }
    }
  }
  return Object.fromEntries(tools)
}

function unusable({ name, execution }: Tool): string | undefined {
  if (cleanText(name).trim() === '') return 'it has no name that anybody could read.'
  return execution?.taskSupport === 'required' ? 'it can be called as a task only.' : undefined
}

async function mismatch(definition: Tool, { options, connection }: MakeOptions): Promise<string | undefined> {
  const { pins, onPinMismatch } = options
  if (pins === undefined) return undefined
  const { name } = definition
  const pinned = Object.hasOwn(pins, name) ? pins[name] : undefined
  if (pinned === (await pinOf(definition))) return undefined
  const problem =
    pinned === undefined ? 'it is not among the pinned ones.' : 'its definition is not the one that was pinned.'
  if (onPinMismatch !== 'throw') return `${problem} Read it, and take its new pin from \`pins()\`.`
  const { server } = connection
  const message = `The tool '${shorten(cleanText(name), 200)}' of ${server}: ${problem} Read it, and take its new pin from \`pins()\`.`
  throw new McpError('pin-mismatch', message, { server })
}

function makeTool(name: string, definition: Tool, all: MakeOptions): FunctionTool<Record<string, unknown>> {
  const { options, warn } = all
  const { inputSchema, annotations } = definition
  const description = definition.description ?? definition.title
  const { $schema: _dialect, ...schema } = cleanSchema(inputSchema)
  const isCleaned =
    cleaned(description) !== description || !name.endsWith(definition.name) || cleanSchema(inputSchema) !== inputSchema
  if (isCleaned) {
    const message = `The name or a description of the tool '${cleanText(definition.name)}' had invisible characters, which were removed.`
    warn({ type: 'text-cleaned', toolName: definition.name, message })
  }
  return tool({
    description: cleaned(description),
    inputSchema: { ...schema, properties: schema.properties ?? {} },
    needsApproval: approvalOf(definition, options),
    effect: options.trust === true && annotations?.readOnlyHint === true ? 'read' : 'write',
    timeout: options.timeout,
    maxTotalTimeout: options.resetTimeoutOnProgress === true ? (options.maxTotalTimeout ?? 600_000) : undefined,
    execute: createCaller({ ...all, definition }),
    // What it gives is an output already.
    toModelOutput: (output) => output as ReturnType<NonNullable<FunctionTool['toModelOutput']>>,
  })
}

function cleaned(text: string | undefined): string | undefined {
  return text === undefined ? undefined : cleanText(text)
}

function approvalOf(
  { name, title, description, annotations = {} }: Tool,
  { approve = 'destructive' }: McpOptions,
): FunctionTool<Record<string, unknown>>['needsApproval'] {
  if (typeof approve === 'function') {
    const info = { name, title: cleaned(title), description: cleaned(description), annotations }
    return (input) => approve(info, input)
  }
  if (approve !== 'destructive') return approve !== 'never'
  return annotations.readOnlyHint !== true && annotations.destructiveHint !== false
}
