import { createChannel } from './channel.ts'
import { startRun, type Run } from '../run/engine.ts'
import { leavable } from './leavable.ts'
import { createLoopStream, type LoopStream } from './loop-stream.ts'
import { isObject } from '../wire/json.ts'
import type { RunInput, RunOptions, StepEdit, StepLoopOptions } from '../options/loop-options.ts'
import type { OutputOptions } from '../output/structured.ts'
import { configOfRun, resolveConfig, snapshotOf, toolDefinitions, type RunConfig } from '../options/run-config.ts'
import type { RunResult } from '../contract/run-result.ts'
import type { ToolSet } from '../tools/tool.ts'
import type {
  OutputOf,
  TypedLoopOptions,
  TypedRunOptions,
  TypedRunResult,
  TypedToolCall,
  TypedToolResult,
} from '../options/typed-tools.ts'
import { withoutUndefined } from '../wire/without-undefined.ts'
import type { Step } from '../contract/step.ts'

/**
 * The tool-calling loop: asks the model, runs the tools that it calls, and goes on until it answers or a limit ends the run. It keeps no
 * state between runs, so one loop serves any number of them at once.
 *
 * The constructor throws `LoopError` `invalid-options` or `duplicate-tool`. A run rejects with `LoopError`; its `code` says why and its
 * `transcript` holds what was reached. The types of results come from `output` and `tools`, of the loop or, where given, of the run.
 */
export class StepLoop<Output = unknown, Tools extends ToolSet = ToolSet> {
  readonly #settled: Settled

  constructor(options: TypedLoopOptions<Tools> & { readonly output?: OutputOptions<Output> | undefined }) {
    // A copy: an object that is changed later must not change what a run with options of its own does.
    const { tools, activeTools } = options
    const own = {
      ...options,
      ...(isObject(tools) && { tools: snapshotOf(tools) }),
      ...(Array.isArray(activeTools) && { activeTools: activeTools.slice() }),
    }
    const config = resolveConfig(own)
    toolDefinitions(config.tools, config.activeTools, options.model.provider)
    this.#settled = { options: own, config }
  }

  /** Runs to the end, with one JSON response per turn. */
  generate<Given extends OutputOptions | undefined = undefined, RunTools extends ToolSet = Tools>(
    input: RunInput,
    options?: TypedRunOptions<RunTools, Given>,
  ): Promise<TypedRunResult<OutputOf<Given, Output>, RunTools>> {
    // Not an `async` function, which would be one more promise for each run.
    try {
      const { result } = startRun(configOf(this.#settled, options), input, 'generate', {})
      return result as Promise<unknown> as Promise<TypedRunResult<OutputOf<Given, Output>, RunTools>>
    } catch (error) {
      return Promise.reject(error)
    }
  }

  /** Runs with streamed turns. Returns at once; nothing starts before the first event, or `result`, is asked for. */
  stream<Given extends OutputOptions | undefined = undefined, RunTools extends ToolSet = Tools>(
    input: RunInput,
    options?: TypedRunOptions<RunTools, Given>,
  ): TypedStream<OutputOf<Given, Output>, RunTools> {
    const config = configOf(this.#settled, options)
    const stream: LoopStream = createLoopStream((observer) => startRun(config, input, 'stream', observer))
    return stream as unknown as TypedStream<OutputOf<Given, Output>, RunTools>
  }

  /**
   * Runs step by step. The value given to `next()` edits the next request; the generator returns the result. Leaving it aborts the run.
   */
  steps<Given extends OutputOptions | undefined = undefined, RunTools extends ToolSet = Tools>(
    input: RunInput,
    options?: TypedRunOptions<RunTools, Given>,
  ): TypedSteps<OutputOf<Given, Output>, RunTools> {
    const config = configOf(this.#settled, options)
    let run: Run | undefined
    const begin = (step: (step: Step) => Promise<StepEdit | undefined>): Run =>
      (run = startRun(config, input, 'generate', { step }))
    const steps: unknown = leavable(iterateSteps(begin), () => run?.abandon())
    return steps as TypedSteps<OutputOf<Given, Output>, RunTools>
  }
}

/** What a loop is made with, read once. */
interface Settled {
  readonly options: StepLoopOptions
  readonly config: RunConfig
}

function configOf({ options, config }: Settled, given: RunOptions | undefined): RunConfig {
  return configOfRun(given === undefined ? config : resolveConfig({ ...options, ...withoutUndefined(given) }))
}

type TypedStream<Output, Tools extends ToolSet> = LoopStream<Output, TypedToolCall<Tools>, TypedToolResult<Tools>>

type TypedSteps<Output, Tools extends ToolSet> = AsyncGenerator<
  Step<TypedToolCall<Tools>, TypedToolResult<Tools>>,
  TypedRunResult<Output, Tools>,
  StepEdit | undefined
>

type Steps = AsyncGenerator<Step, RunResult, StepEdit | undefined>

async function* iterateSteps(start: (step: (step: Step) => Promise<StepEdit | undefined>) => Run): Steps {
  const channel = createChannel<Step, Step | undefined, StepEdit | undefined>((step) => step)
  const run = start((step) => new Promise((resolve) => channel.deliver(step, resolve)))
  const close = (): void => channel.close()
  run.result.then(close, close)
  let edit: StepEdit | undefined
  for (;;) {
    const step = await channel.pull(edit)
    if (step === undefined) return run.result
    edit = yield step
  }
}
