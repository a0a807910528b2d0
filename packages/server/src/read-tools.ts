import type { AnyTool, ToolChoice, ToolSet } from '@steploop/core'
import { badRequest } from './api-error.ts'
import { isObject, textOf, type JsonObject } from './json.ts'
import type { CreateRequest } from './read-request.ts'

/** How calls of a tool are shown. */
export type ToolView =
  | { readonly kind: 'function'; readonly name: string; readonly namespace?: string | undefined }
  | { readonly kind: 'custom'; readonly name: string }

/** A tool of a type that none of the tables here knows. */
export interface ForeignTool {
  readonly declared: JsonObject
  readonly param: string
}

export interface DeclaredTools {
  /** Tools that the client runs. */
  readonly tools: Readonly<Record<string, AnyTool>>
  readonly views: ReadonlyMap<string, ToolView>
  readonly foreign: readonly ForeignTool[]
}

/** Throws `ApiError` 400 for a tool without a name, and for two with one name. */
export function readTools(declared: CreateRequest['tools'], most: number): DeclaredTools {
  const tools = new Map<string, AnyTool>()
  const views = new Map<string, ToolView>()
  const foreign: ForeignTool[] = []
  const add = (name: string, made: AnyTool, view: ToolView, param: string): void => {
    if (views.has(name)) throw badRequest(`There are two tools with the name '${name}'.`, { param })
    if (views.size >= most) throw badRequest(`There are more than ${most} tools.`, { param: 'tools' })
    tools.set(name, made)
    views.set(name, view)
  }
  for (const [index, tool] of (declared ?? []).entries()) {
    const param = `tools[${index}]`
    switch (tool.type) {
      case 'function': {
        const name = nameOf(tool, param)
        add(name, functionTool(tool), { kind: 'function', name }, param)
        break
      }
      case 'custom': {
        const name = nameOf(tool, param)
        add(name, customTool(tool), { kind: 'custom', name }, param)
        break
      }
      case 'namespace':
        for (const { name, inner, view, at } of namespaced(tool, param)) add(name, functionTool(inner), view, at)
        break
      default:
        foreign.push({ declared: tool, param })
    }
  }
  return { tools: Object.fromEntries(tools), views, foreign }
}

/** The name under which the model knows a tool of a namespace. */
export function namespacedName(namespace: string, name: string): string {
  return `${namespace}__${name}`
}

function namespaced(tool: JsonObject, param: string) {
  const namespace = nameOf(tool, param)
  const inner: unknown = tool['tools']
  if (!Array.isArray(inner)) throw badRequest('A namespace has a list of tools.', { param: `${param}.tools` })
  return inner.map((each: unknown, index) => {
    const at = `${param}.tools[${index}]`
    if (!isObject(each) || each['type'] !== 'function') {
      throw badRequest('Only functions are supported in a namespace.', { code: 'unsupported_tool', param: at })
    }
    const name = nameOf(each, at)
    return {
      name: namespacedName(namespace, name),
      inner: each,
      view: { kind: 'function', name, namespace } as const,
      at,
    }
  })
}

function nameOf(tool: JsonObject, param: string): string {
  const name = textOf(tool['name'])
  if (name !== undefined && name !== '') return name
  throw badRequest('A tool needs a name.', { code: 'missing_required_parameter', param: `${param}.name` })
}

/** Some servers have the function's members in `function`, as in Chat Completions; the API has not. */
function functionTool(tool: JsonObject): AnyTool {
  const { parameters, description, strict } = tool
  return {
    type: 'function',
    inputSchema: isObject(parameters) ? parameters : { type: 'object', properties: {} },
    ...(typeof description === 'string' && { description }),
    ...(typeof strict === 'boolean' && { strict }),
  }
}

/** A text is what the tool takes; the model writes it into the one member of an object. */
function customTool(tool: JsonObject): AnyTool {
  const { format, description } = tool
  const { type, definition, syntax } = isObject(format) ? format : {}
  const grammar = type === 'grammar' ? textOf(definition) : undefined
  const rule = grammar === undefined ? [] : [`The input follows this ${textOf(syntax) ?? ''} grammar:\n${grammar}`]
  return {
    type: 'function',
    description: [...(typeof description === 'string' ? [description] : []), ...rule].join('\n\n'),
    inputSchema: {
      type: 'object',
      properties: { input: { type: 'string' } },
      required: ['input'],
      additionalProperties: false,
    },
  }
}

export interface ReadChoice {
  readonly toolChoice: ToolChoice | undefined
  readonly activeTools: readonly string[] | undefined
}

/** Throws `ApiError` 400 for a choice of tools that are not there. `named`: the tools that a type of hosted tools gave. */
export function readToolChoice(
  choice: CreateRequest['tool_choice'],
  tools: ToolSet,
  named: (choice: JsonObject) => readonly string[],
): ReadChoice {
  if (choice == null) return { toolChoice: undefined, activeTools: undefined }
  if (typeof choice === 'string') {
    if (choice === 'auto' || choice === 'none' || choice === 'required') {
      return { toolChoice: choice, activeTools: undefined }
    }
    throw badRequest(`'${choice}' is no choice. Give auto, none, required or a tool.`, { param: 'tool_choice' })
  }
  const known = (name: string): boolean => Object.hasOwn(tools, name)
  if (choice.type === 'allowed_tools') {
    const allowed: unknown = choice['tools']
    const given = Array.isArray(allowed) ? allowed.filter(isObject) : []
    const active = given.flatMap((each) => namesIn(each, named)).filter(known)
    if (active.length === 0) throw badRequest('No tool of the request is allowed.', { param: 'tool_choice.tools' })
    return { toolChoice: choice['mode'] === 'required' ? 'required' : 'auto', activeTools: active }
  }
  const names = namesIn(choice, named).filter(known)
  const [only] = names
  if (only === undefined) {
    const message = `The tool choice names no tool of the request (${choice.type}).`
    throw badRequest(message, { param: 'tool_choice' })
  }
  if (names.length === 1 && tools[only]?.type === 'function')
    return { toolChoice: { type: 'tool', toolName: only }, activeTools: undefined }
  return { toolChoice: 'required', activeTools: names }
}

function namesIn(choice: JsonObject, named: (choice: JsonObject) => readonly string[]): readonly string[] {
  const name = textOf(choice['name'])
  if (choice['type'] !== 'function' && choice['type'] !== 'custom') return named(choice)
  const namespace = textOf(choice['namespace'])
  return name === undefined ? [] : [namespace === undefined ? name : namespacedName(namespace, name)]
}
