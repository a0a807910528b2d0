import {
  StepLoop,
  type Adapter,
  type AnyTool,
  type FunctionTool,
  type LoopEvent,
  type RunInput,
  type RunOptions,
  type RunResult,
  type StepLoopOptions,
  type ToolContext,
} from '@steploop/core'
import type { TurnRequest } from '@steploop/core/adapter'
import type { Loop } from '../loop.ts'
import { withTurn, type Break, type Bug } from './mutant.ts'

/** What a mutant of the loop changes; all else is as it was. */
export interface LoopChange {
  /** What the loop gets instead of the scenario's options. */
  readonly options?: StepLoopOptions | undefined
  readonly input?: ((input: RunInput) => RunInput) | undefined
  readonly run?: ((options: RunOptions | undefined) => RunOptions | undefined) | undefined
  /** The result of a run, in its events as well. */
  readonly result?: ((result: RunResult) => RunResult) | undefined
  /** What a run rejects with. */
  readonly error?: ((error: unknown) => unknown) | undefined
  /** One event of a streamed run. */
  readonly event?: ((event: LoopEvent) => readonly LoopEvent[]) | undefined
}

/** Breaks the loop from outside: by the options that it gets, and by what it reports. `change` is asked once per loop. */
export function brokenLoop(bug: Bug & { readonly change: (options: StepLoopOptions) => LoopChange }): Break {
  const { change, ...facts } = bug
  return {
    ...facts,
    apply: (subject) => ({
      ...subject,
      loop(options) {
        const changed = change(options)
        return changedLoop(new StepLoop(changed.options ?? options), changed)
      },
    }),
  }
}

/** Breaks the options that the loop gets. */
export function brokenOptions(bug: Bug & { readonly change: (options: StepLoopOptions) => StepLoopOptions }): Break {
  const { change, ...facts } = bug
  return brokenLoop({ ...facts, change: (options) => ({ options: change(options) }) })
}

/** A mutant that changes the input and the outcome of a loop, not its options. */
export function brokenOutcome(bug: Bug & LoopChange): Break {
  return brokenLoop({ ...bug, change: () => bug })
}

function changedLoop(loop: StepLoop, change: LoopChange): Loop {
  const same = <Value>(value: Value): Value => value
  const { input = same, run = same, result = same, error = same, event = (one: LoopEvent) => [one] } = change
  const withChangedResult = (one: LoopEvent): LoopEvent =>
    one.type === 'run-end' ? { ...one, result: result(one.result) } : one
  const settled = (work: Promise<RunResult>): Promise<RunResult> =>
    work.then(result, (cause: unknown) => Promise.reject(asError(error(cause))))
  return {
    generate: (asked, options) => settled(loop.generate(input(asked), run(options))),
    stream(asked, options) {
      const stream = loop.stream(input(asked), run(options))
      return {
        async *[Symbol.asyncIterator]() {
          for await (const one of stream) yield* event(withChangedResult(one))
        },
        get result() {
          return settled(stream.result)
        },
      }
    },
  }
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error))
}

/** The options with every turn request changed, fallback models included. */
export function withRequests(
  options: StepLoopOptions,
  change: (request: TurnRequest) => TurnRequest | Promise<TurnRequest>,
): StepLoopOptions {
  const wrap = (model: Adapter): Adapter =>
    withTurn(model, async function* (request, context) {
      yield* model.turn(await change(request), context)
    })
  return { ...options, model: wrap(options.model), fallbacks: options.fallbacks?.map((model) => wrap(model)) }
}

type Execute = (input: unknown, context: ToolContext) => unknown

/** The options with every tool that has `execute` running in another way. */
export function withTools(
  options: StepLoopOptions,
  wrap: (execute: Execute, name: string) => Execute,
  facts: Partial<FunctionTool> = {},
): StepLoopOptions {
  const changed = (tool: AnyTool, name: string): AnyTool => {
    if (tool.type === 'provider' || tool.execute === undefined) return tool
    // Each tool checks its own input before it runs.
    const execute = wrap(tool.execute as Execute, name)
    return { ...tool, ...facts, execute }
  }
  const { tools } = options
  if (tools === undefined) return options
  return {
    ...options,
    tools: Object.fromEntries(Object.entries(tools).map(([name, tool]) => [name, changed(tool, name)])),
  }
}
