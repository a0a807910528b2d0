import type { AnyTool } from '@steploop/core'
import { badRequest } from './api-error.ts'
import type { GatewayView } from './gateway-items.ts'
import type { JsonObject } from './json.ts'
import type { DeclaredTools } from './read-tools.ts'
import type { ServerOptions } from './server-options.ts'
import type { Executor, ExecutorContext, OpenedTools } from './executor.ts'

/** All tools of a request that run here. */
export interface GatewayTools {
  readonly tools: Readonly<Record<string, AnyTool>>
  readonly views: ReadonlyMap<string, GatewayView>
  readonly listed: readonly JsonObject[]
  /** Names of the tools by the type, and the label, of their declaration. */
  readonly named: (choice: JsonObject) => readonly string[]
  readonly close: () => Promise<void>
}

interface Opened {
  readonly declared: JsonObject
  readonly names: readonly string[]
}

/** Throws `ApiError` 400 for tools that are not run here, and for names that are taken. What was opened before is closed then. */
export async function openTools(
  { foreign, views: clientViews }: DeclaredTools,
  { executors = [], unsupportedTools }: ServerOptions,
  context: Omit<ExecutorContext, 'param'>,
): Promise<GatewayTools> {
  const tools = new Map<string, AnyTool>()
  const views = new Map<string, GatewayView>()
  const listed: JsonObject[] = []
  const opened: Opened[] = []
  const closers: (() => Promise<void>)[] = []
  const close = async (): Promise<void> => {
    await Promise.allSettled(closers.map((end) => end()))
  }
  try {
    for (const { declared, param } of foreign) {
      const made = await openBy(executors, declared, { ...context, param })
      if (made === undefined && unsupportedTools === 'drop') continue
      if (made === undefined) throw unsupported(declared, param)
      if (made.close !== undefined) closers.push(made.close)
      const names = Object.keys(made.tools)
      const taken = names.find((name) => tools.has(name) || clientViews.has(name))
      if (taken !== undefined) throw badRequest(`There are two tools with the name '${taken}'.`, { param })
      for (const [name, tool] of Object.entries(made.tools)) {
        tools.set(name, tool)
        views.set(name, made.view(name))
      }
      listed.push(...(made.listed ?? []))
      opened.push({ declared, names })
    }
  } catch (error) {
    await close()
    throw error
  }
  return { tools: Object.fromEntries(tools), views, listed, close, named: (choice) => namesOf(opened, choice) }
}

async function openBy(
  executors: readonly Executor[],
  declared: JsonObject,
  context: ExecutorContext,
): Promise<OpenedTools | undefined> {
  for (const executor of executors) {
    const made = executor.types.includes(String(declared['type'])) ? await executor.open(declared, context) : undefined
    if (made !== undefined) return made
  }
  return undefined
}

function unsupported({ type }: JsonObject, param: string): Error {
  const message = `Tools of type '${String(type)}' cannot be run by this server.`
  return badRequest(message, { code: 'unsupported_tool', param })
}

/** The tools that a choice of a type means: all of it, of one server, or one by its name. */
function namesOf(opened: readonly Opened[], { type, server_label: label, name }: JsonObject): readonly string[] {
  const meant = opened.filter(
    ({ declared }) => declared['type'] === type && (label === undefined || declared['server_label'] === label),
  )
  const names = meant.flatMap((each) => each.names)
  return typeof name === 'string' ? names.filter((each) => each === name || each.endsWith(`__${name}`)) : names
}
