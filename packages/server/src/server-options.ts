import type { Adapter, StepLoopOptions } from '@steploop/core'
import type { OpenStore } from '@steploop/store'
import type { Executor } from './executor.ts'
import type { SealingKey } from './seal.ts'

/** What one client, and all together, may ask for. Times in milliseconds. */
export interface Limits {
  /** Bytes of a request. Default 10,000,000. */
  readonly bodyBytes: number
  /** Objects and lists within each other. Default 64. */
  readonly jsonDepth: number
  /** Tools of a request. Default 128. */
  readonly tools: number
  /** Responses that are carried out at the same time. Default 1,000. */
  readonly runs: number
  /** Responses of one tenant that are carried out at the same time. Default 50. */
  readonly runsPerTenant: number
  /** Milliseconds of a response in the foreground. Default 10 minutes. */
  readonly responseTime: number
  /** Milliseconds of a response in the background. Default 1 hour. */
  readonly backgroundTime: number
  /** Batches of calls that are carried out here. Default 10, at most 128. */
  readonly steps: number
  /** Characters of one output that the model gets. Default 256,000. */
  readonly toolOutput: number
  /** Characters that the model may write for one response, beside which it ends as incomplete. Default 8,000,000. */
  readonly outputLength: number
  /** Silence of a stream after which it gets a comment. Default 15 seconds. */
  readonly keepAlive: number
}

export const defaultLimits: Limits = {
  bodyBytes: 10_000_000,
  jsonDepth: 64,
  tools: 128,
  runs: 1_000,
  runsPerTenant: 50,
  responseTime: 600_000,
  backgroundTime: 3_600_000,
  steps: 10,
  toolOutput: 256_000,
  outputLength: 8_000_000,
  keepAlive: 15_000,
}

/** Throws `RangeError` for what is no limit: against a number that is none nothing is too much. */
export function limitsOf(given: ServerOptions['limits'] = {}): Limits {
  const known = Object.entries(given).filter(([, most]) => most !== undefined)
  const limits: Limits = { ...defaultLimits, ...Object.fromEntries(known) }
  const wrong = Object.entries(limits).find(([, most]) => !(most > 0))
  if (wrong === undefined) return limits
  throw new RangeError(`\`limits.${wrong[0]}\` is ${wrong[1]}. Give a number above 0.`)
}

export interface Retention {
  /** Responses, from their beginning; those that others go on from, or that a conversation has, stay. Default 30 days. */
  readonly responses?: number | undefined
  /** Events of background responses. Default 1 hour. */
  readonly events?: number | undefined
}

/** Options of a loop that are the operator's: the rest comes from the request. */
export type LoopDefaults = Pick<
  StepLoopOptions,
  'maxRetries' | 'toolTimeout' | 'turnTimeout' | 'policies' | 'providerOptions' | 'onLimit' | 'maxToolConcurrency'
>

export interface ServerOptions {
  /** The adapter of each model name that clients may ask for. */
  readonly models: Readonly<Record<string, Adapter>>
  readonly store: OpenStore
  /**
   * Who asks. `undefined`: nobody that is known here, which is answered 401. Without this function everybody is the tenant `default`, and
   * `serve` listens on loopback alone.
   */
  readonly authenticate?:
    | ((request: Request) => Promise<{ readonly tenant: string } | undefined> | { readonly tenant: string } | undefined)
    | undefined
  /** Run the tools that clients declare by a type. Default: none, so that such a tool is refused. */
  readonly executors?: readonly Executor[] | undefined
  readonly loop?: LoopDefaults | undefined
  /** What seals the state of turns for clients; the first one seals. Default: a key of this process, so that what it sealed ends with it. */
  readonly sealingKeys?: readonly SealingKey[] | undefined
  /** Refuse fields that the API does not have, in place of ignoring them. Default false. */
  readonly strict?: boolean | undefined
  /** A tool that cannot be run here: refuse the request (`refuse`, default), or go on without the tool (`drop`). */
  readonly unsupportedTools?: 'refuse' | 'drop' | undefined
  readonly limits?: Partial<Limits> | undefined
  /** How long what is over is kept, in milliseconds; 0: for ever. */
  readonly retention?: Retention | undefined
  /** Told of what went wrong inside; clients are not. It may hold prompts and words of providers. Default: not reported. */
  readonly onError?: ((error: unknown) => void) | undefined
}
