import { createChannel } from './channel.ts'
import { startRun, type Run } from './engine.ts'
import { createLoopStream, type LoopStream } from './loop-stream.ts'
import { isObject } from './json.ts'
import type { RunInput, RunOptions, StepEdit, StepLoopOptions } from './loop-options.ts'
import type { OutputOptions } from './structured.ts'
import { resolveConfig, snapshotOf, toolDefinitions, type RunConfig } from './run-config.ts'
import type { RunResult, Step } from './run-result.ts'
import { withoutUndefined } from './without-undefined.ts'

/**
 * The tool-calling loop: asks the model, runs the tools that it calls, and goes on until it answers or a limit ends the run. It keeps no
 * state between runs, so one loop serves any number of them at once.
 *
 * The constructor throws `LoopError` `invalid-options` or `duplicate-tool`. A run rejects with `LoopError`; its `code` says why and its
 * `transcript` holds what was reached.
 */
export class StepLoop<Output = unknown> {
  readonly #options: StepLoopOptions
  readonly #config: RunConfig

  constructor(options: StepLoopOptions & { readonly output?: OutputOptions<Output> | undefined }) {
    // A copy: an object that is changed later must not change what a run with options of its own does.
    this.#options = { ...options, ...(isObject(options.tools) && { tools: snapshotOf(options.tools) }) }
    this.#config = resolveConfig(this.#options)
    toolDefinitions(this.#config.tools, this.#config.activeTools, options.model.provider)
  }

  /** Runs to the end, with one JSON response per turn. */
  async generate(input: RunInput, options?: RunOptions): Promise<RunResult<Output>> {
    return startRun(this.#configOf(options), input, 'generate', {}).result as Promise<RunResult<Output>>
  }

  /** Runs with streamed turns. Returns at once; nothing starts before the first event, or `result`, is asked for. */
  stream(input: RunInput, options?: RunOptions): LoopStream<Output> {
    const config = this.#configOf(options)
    return createLoopStream((observer) => startRun(config, input, 'stream', observer)) as LoopStream<Output>
  }

  /**
   * Runs step by step. The value given to `next()` edits the next request; the generator returns the result. Leaving it aborts the run.
   */
  steps(input: RunInput, options?: RunOptions): AsyncGenerator<Step, RunResult<Output>, StepEdit | undefined> {
    const config = this.#configOf(options)
    const run = leavable((begun) => iterateSteps((step) => begun(startRun(config, input, 'generate', { step }))))
    return run as AsyncGenerator<Step, RunResult<Output>, StepEdit | undefined>
  }

  #configOf(options: RunOptions | undefined): RunConfig {
    return options === undefined ? this.#config : resolveConfig({ ...this.#options, ...withoutUndefined(options) })
  }
}

type Steps = AsyncGenerator<Step, RunResult, StepEdit | undefined>

/** By itself a generator that waits for the next step lets `return()` and `throw()` wait too; this one ends the run first. */
function leavable(make: (begun: (run: Run) => Run) => Steps): Steps {
  let run: Run | undefined
  const steps = make((begun) => (run = begun))
  const end = steps.return.bind(steps)
  const fail = steps.throw.bind(steps)
  steps.return = (value) => {
    run?.abandon()
    return end(value)
  }
  steps.throw = (error) => {
    run?.abandon()
    return fail(error)
  }
  return steps
}

async function* iterateSteps(start: (step: (step: Step) => Promise<StepEdit | undefined>) => Run): Steps {
  const channel = createChannel<Step, StepEdit | undefined>()
  const run = start((step) => channel.deliver(step))
  const close = (): void => channel.close()
  run.result.then(close, close)
  try {
    let edit: StepEdit | undefined
    for (;;) {
      const step = await channel.pull(edit)
      if (step === undefined) return await run.result
      edit = yield step
    }
  } finally {
    run.abandon()
    channel.close()
  }
}
