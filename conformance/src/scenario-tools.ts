import type { Clock, FunctionTool, JsonSchema } from '@steploop/core'

/** Time stands still but for `elapse`, and for the pauses between attempts, which are over at once. */
export interface StagedClock extends Clock {
  /** Lets so many milliseconds pass: what is due by then is called. */
  readonly elapse: (ms: number) => void
}

/** Makes parallel calls finish in a fixed order, whatever the loop does: call number `order[0]` first, and so on, counted from 0 as they begin. */
export interface HoldOptions {
  readonly order: readonly number[]
}

type Input = Readonly<Record<string, string>>

/** The deterministic tools of every scenario. Nothing in them touches a clock, the network or randomness. */
export interface LocalTools {
  readonly get_weather: FunctionTool<Input>
  readonly get_time: FunctionTool<Input>
  readonly lookup_order: FunctionTool<Input>
  readonly list_alerts: FunctionTool<Input>
  readonly restart_job: FunctionTool<Input>
  readonly fail: FunctionTool<Input>
  readonly take_photo: FunctionTool<Input>
  /** A tool of this name, declared so; it does nothing but say so. */
  readonly declared: (toolName: string, definition: Declaration) => FunctionTool<Record<string, unknown>>
}

type Declaration = Pick<FunctionTool, 'description' | 'strict'> & { readonly inputSchema: JsonSchema }
