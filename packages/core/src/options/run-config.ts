import type { Adapter, Settings, ToolDefinition } from '../contract/adapter.ts'
import { checkMiddleware, checkOptions, checkPolicies, checkPolicyResult } from './check-options.ts'
import { systemClock, type Clock } from '../contract/clock.ts'
import { hookFailed } from '../tools/hook-failed.ts'
import { invalid } from './invalid-option.ts'
import { LoopError } from '../contract/errors.ts'
import { checkKind, countOf, optionTable, withDefaults, type Defaulted } from './option-table.ts'
import { makeMiddleware } from './make-middleware.ts'
import type { Middleware, MiddlewareOption } from './middleware.ts'
import { limitTurnTime } from './turn-timeout.ts'
import type { RunOptions, StepLoopOptions } from './loop-options.ts'
import { splitProviderState, type SplitOptions } from './provider-state.ts'
import { settingsOf } from './settings.ts'
import { structuredToolName } from '../output/structured.ts'
import { isThenable } from '../tools/thenable.ts'
import { toolDefinition, type ToolSet } from '../tools/tool.ts'
import { makeRoom } from '../wire/notes.ts'

/** Limits that no option lifts. */
const hardMaxSteps = 128

/** All options of a run with their defaults. */
export interface RunConfig extends Omit<Defaulted, 'middleware'>, Pick<SplitOptions, 'providerState' | 'warnings'> {
  readonly model: Adapter
  readonly tools: ToolSet
  readonly activeTools: readonly string[]
  readonly settings: Settings | undefined
  readonly fallbacks: readonly Adapter[]
  readonly clock: Clock
  readonly random: () => number
  readonly generateId: () => string
  readonly middlewareOption: MiddlewareOption
  /** Middleware of the run; that of the loop is made anew for each. */
  readonly middleware: Middleware
}

const noTools: ToolSet = {}

/** Throws `LoopError` `invalid-options` or `duplicate-tool` for options that cannot work. */
export function resolveConfig(given: RunOptions & Pick<StepLoopOptions, 'model'>): RunConfig {
  const resolved = { abortSignal: given.abortSignal, ...applyPolicies(given) }
  checkOptions(resolved)
  const { middleware = noMiddleware } = resolved
  if (typeof middleware !== 'function') checkMiddleware(middleware)
  // Last, so that the models of all policies are under it.
  const options = limitTurnTime(countOf(resolved, 'turnTimeout'))(resolved)
  const tools = snapshotOf(options.tools ?? noTools)
  const config = withDefaults(options)
  return {
    ...config,
    model: options.model,
    tools,
    activeTools: activeNames(tools, options.activeTools),
    settings: settingsOf(options),
    ...splitProviderState(options.providerOptions, config.continuation === 'off'),
    maxSteps: Math.min(maxStepsOf(options, tools), hardMaxSteps),
    maxCost: budget(options),
    costOf: guarded('costOf', options.costOf),
    maxRepeatedCalls: repetitions(config),
    maxToolConcurrency: concurrencyOf(options),
    denyCall: guarded('denyCall', options.denyCall),
    fallbacks: options.fallbacks ?? [],
    clock: options.clock ?? systemClock,
    random: options.random ?? Math.random,
    generateId: guarded('generateId', options.generateId) ?? (() => crypto.randomUUID()),
    middlewareOption: middleware,
    middleware: noMiddleware,
  }
}

const noMiddleware: Middleware = {}

/** What one run is done with. To be asked for in the call of the application that begins it. */
export function configOfRun(config: RunConfig): RunConfig {
  const { middlewareOption: option } = config
  return option === noMiddleware ? config : { ...config, middleware: makeMiddleware(option) }
}

/** The application's code, called in the middle of a turn: what it throws, or rejects with, is named after it. */
function guarded<Given extends readonly unknown[], Result>(
  name: string,
  call: ((...given: Given) => Result) | undefined,
): ((...given: Given) => Result) | undefined {
  if (call === undefined) return undefined
  const failed = (cause: unknown): never => {
    throw hookFailed(name, cause)
  }
  return (...given) => {
    try {
      const result = call(...given)
      if (!isThenable(result)) return result
      const answered = Promise.resolve(result).catch(failed)
      // Nobody waits for it where a number or a text is wanted at once.
      answered.catch(() => undefined)
      return answered as Result
    } catch (cause) {
      return failed(cause)
    }
  }
}

function applyPolicies(given: StepLoopOptions): StepLoopOptions {
  const { preset, policies = [] } = given
  checkPolicies(policies)
  if (preset !== undefined) checkKind('preset', preset, 'function')
  const begun = preset === undefined ? given : checkPolicyResult(preset(given), 'preset')
  return policies.reduce((options, policy, index) => checkPolicyResult(policy(options), `policies[${index}]`), begun)
}

function maxStepsOf(options: RunOptions, tools: ToolSet): number {
  if (typeof options.maxSteps !== 'function') return countOf(options, 'maxSteps')
  const maxSteps = guarded('maxSteps', options.maxSteps)?.(tools)
  if (maxSteps !== undefined) checkKind('maxSteps', maxSteps, 0)
  return countOf({ maxSteps }, 'maxSteps')
}

/** Whoever wants one call per turn wants no two at the same time, should the model send them all the same. */
function concurrencyOf(options: RunOptions): number {
  if (options.maxToolConcurrency === undefined && options.parallelToolCalls === false) return 1
  return Math.max(1, countOf(options, 'maxToolConcurrency'))
}

function budget({ maxCost, costOf }: RunOptions): number {
  if (maxCost === undefined || costOf !== undefined) return maxCost ?? optionTable.maxCost
  throw invalid('`maxCost` is set, but not `costOf`. Give a function that prices a usage.')
}

/** Once is no repetition. */
function repetitions({ maxRepeatedCalls: times }: Defaulted): number {
  return times === 1 ? 2 : times
}

export function activeNames(tools: ToolSet, active: readonly string[] | undefined): readonly string[] {
  if (active === undefined) return allNames(tools)
  const unknown = active.find((name) => !Object.hasOwn(tools, name))
  if (unknown !== undefined) {
    throw invalid(`\`activeTools\` names '${unknown}', which is not among the tools.`)
  }
  // What the model is offered is what it may call, whatever is written to the list meanwhile.
  return active.slice()
}

const snapshots = new WeakMap<ToolSet, ToolSet>()

/**
 * The tools as they are now: what is put into the object later is in no run. The same object for the same tools, in all loops, so that
 * adapters encode their definitions once.
 */
export function snapshotOf(tools: ToolSet): ToolSet {
  const known = snapshots.get(tools)
  if (known !== undefined && isSame(tools, known)) return known
  const snapshot = Object.freeze({ ...tools })
  snapshots.set(tools, snapshot)
  snapshots.set(snapshot, snapshot)
  return snapshot
}

function isSame(tools: ToolSet, known: ToolSet): boolean {
  const names = Object.keys(tools)
  const before = allNames(known)
  return names.length === before.length && names.every((name, at) => name === before[at] && tools[name] === known[name])
}

const namesByTools = new WeakMap<ToolSet, readonly string[]>()

function allNames(snapshot: ToolSet): readonly string[] {
  let names = namesByTools.get(snapshot)
  if (names === undefined) namesByTools.set(snapshot, (names = Object.keys(snapshot)))
  return names
}

type Definitions = Map<string, readonly ToolDefinition[]>

const definitionsByTools = new WeakMap<ToolSet, Definitions>()

/** Lists of `activeTools` whose definitions are kept, until there is one more: an application may make another one for every user. */
const mostLists = 32

/** The tools as `provider` gets them: the same array object for the same tools, so that adapters encode it once. */
export function toolDefinitions(
  tools: ToolSet,
  active: readonly string[],
  provider: string,
): readonly ToolDefinition[] | undefined {
  if (active.length === 0) return undefined
  let known = definitionsByTools.get(tools)
  if (known === undefined) definitionsByTools.set(tools, (known = new Map()))
  const key = active === namesByTools.get(tools) ? provider : JSON.stringify([provider, ...active])
  let definitions = known.get(key)
  if (definitions === undefined) {
    definitions = defineTools(tools, active, provider)
    if (known.size >= mostLists) known.clear()
    known.set(key, definitions)
  }
  return definitions.length === 0 ? undefined : definitions
}

function defineTools(tools: ToolSet, active: readonly string[], provider: string): readonly ToolDefinition[] {
  const definitions: ToolDefinition[] = []
  const seen = new Set<string>()
  for (const name of active) {
    const tool = tools[name]
    if (tool === undefined || (tool.type === 'provider' && tool.provider !== provider)) continue
    const definition = toolDefinition(name, tool)
    if (definition.name === '') {
      throw invalid('A tool has an empty name. Give every tool a name.')
    }
    if (seen.has(definition.name) || definition.name === structuredToolName) {
      throw new LoopError('duplicate-tool', `Two tools are named '${definition.name}'. Rename one of them.`)
    }
    seen.add(definition.name)
    definitions.push(definition)
  }
  return makeRoom(definitions)
}
