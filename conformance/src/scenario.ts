import type { Adapter, LoopEvent, Mode, ProviderTool, RunInput, RunOptions, Transcript } from '@steploop/core'
import type { AppliesTo } from './applies-to.ts'
import type { Check } from './check.ts'
import type { RunRecord } from './evidence.ts'
import type { Derivation } from './derivation.ts'
import type { HoldOptions, LocalTools, StagedClock } from './scenario-tools.ts'
import type { ScriptedTurn } from './script.ts'

/** A provider-neutral script: what the model says, what the caller does, and what must hold. */
export interface Scenario {
  /** Id of the scenario, and the name of its cassettes. */
  readonly id: string
  /** One sentence. */
  readonly title: string
  /** Default: everywhere. */
  readonly appliesTo?: AppliesTo | undefined
  /** Why no real model can be made to do it, where the script does not show that by itself. */
  readonly onlySimulated?: string | undefined
  /** How cassettes are made from those of another scenario. Default: recorded. */
  readonly derived?: Derivation | undefined
  /**
   * Beginnings of paths of what some providers have no word for, so that a warning about it is right here. Settings, tool choice and
   * response format may always be warned of where they are given. Default: nothing.
   */
  readonly mayLose?: readonly string[] | undefined
  /** What the simulated model answers, turn by turn, over all runs. */
  readonly script: readonly ScriptedTurn[]
  /** Written by hand, for all providers; one for both modes unless the mode itself decides. See `printSkeleton` for the words. */
  readonly golden: string | Readonly<Record<Mode, string>>
  /** Drives the loop. */
  readonly run: (context: ScenarioContext) => Promise<void>
  /** What must hold beside the golden skeleton and the common checks. */
  readonly checks: readonly Check[]
}

export interface ScenarioContext {
  readonly mode: Mode
  /** The subject's key of `providerOptions`. */
  readonly provider: string
  /** Legal options of the subject's provider that change nothing else, to be found again in its requests. */
  readonly sampleOptions: Readonly<Record<string, unknown>>
  /** A search and a place to run code, run by the subject's provider itself; none where the wire format has no words for them. */
  readonly providerTools: Readonly<Record<string, ProviderTool>>
  /** Options of the subject's provider that turn its prompt cache on; empty where there are none. */
  readonly cacheOptions: Readonly<Record<string, unknown>>
  /** Options of the subject's provider that make it keep answers. */
  readonly storeOptions: Readonly<Record<string, unknown>>
  /** The deterministic tools of the suite; what runs is recorded. `hold` fixes the order in which parallel calls finish. */
  readonly tools: (hold?: HoldOptions) => LocalTools
  /** A clock that moves when the scenario says so; what the loop waited for between attempts is recorded. */
  readonly clock: () => StagedClock
  /** The subject's adapter once more, as another model that may take over. */
  readonly another: () => Adapter
  /** The subject's adapter without a key of its own: it stands in the environment variable that the subject names. */
  readonly keyless: () => Adapter
  /** Runs the loop once, with `generate` or `stream` by mode, and records it. Never rejects. */
  readonly run: (input: RunInput, options?: ScenarioRunOptions) => Promise<RunRecord>
}

export interface ScenarioRunOptions extends Omit<RunOptions, 'model'> {
  /** Told of each event of a streamed run as it arrives. */
  readonly onEvent?: ((event: LoopEvent) => void) | undefined
}

/** The scenario cannot go on: an earlier run did not give what the next one starts from. */
class ScenarioStopped extends Error {
  override readonly name = 'ScenarioStopped'
}

/** The transcript of a run that ended well; stops the scenario otherwise. */
export function transcriptOf(run: RunRecord): Transcript {
  if (run.result !== undefined) return run.result.transcript
  throw new ScenarioStopped(`run ${run.number} gave no result, and the next run starts from it`, { cause: run.error })
}

/** Through JSON and back, as a transcript that was stored. */
export function stored<Value>(value: Value): Value {
  // What JSON gives back has the type of what went in: transcripts are plain data.
  return JSON.parse(JSON.stringify(value)) as Value
}
