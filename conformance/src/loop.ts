import type { LoopEvent, RunInput, RunOptions, RunResult, StepLoop, StepLoopOptions } from '@steploop/core'

/** What scenarios drive: `StepLoop`, or something around it. */
export interface Loop {
  generate(input: RunInput, options?: RunOptions): Promise<RunResult>
  stream(input: RunInput, options?: RunOptions): StreamedRun
}

export interface StreamedRun extends AsyncIterable<LoopEvent> {
  readonly result: Promise<RunResult>
}

/** Makes the loop of each run from what the scenario gives. */
export type MakeLoop = (options: StepLoopOptions) => Loop

/** All that a loop has, as `describeLoop` tests it. */
export type WholeLoop = Pick<StepLoop, 'generate' | 'stream' | 'steps'>

export type MakeWholeLoop = (options: StepLoopOptions) => WholeLoop
