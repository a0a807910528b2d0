import type { Attributes, Context, Span } from '@opentelemetry/api'
import type { TurnCollector } from '@steploop/core/adapter'
import type { ModelName, ToolName } from './cached-names.ts'
import { safely } from './safely.ts'
import type { Setup, Signals } from './setup.ts'

/**
 * What is open of a run, and how each is ended should the run be over first. It outlives a run that its reader drops, so nothing in it may
 * lead to the run itself.
 */
export type Open = Map<object, (errorType: string) => void>

/** One run under way. */
export interface RunRecord extends Signals {
  readonly setup: Setup
  /** What `performance.now()` counts from, in milliseconds from the epoch. */
  readonly origin: number
  /** The transcript's id. */
  conversation: string
  /** Where the spans of the run hang. */
  context: Context
  readonly open: Open
  /** Ids of calls that were carried out. */
  readonly ran: Set<string>
  requests: number
  calls: number
}

/** A span, where there is a tracer that made one, and the context for the work below it. */
export interface Started {
  readonly span: Span | undefined
  /** The span will be seen: for others nothing is put together. */
  readonly recording: boolean
  readonly context: Context
}

/** One request under way. */
export interface TurnRecord extends Started {
  readonly run: RunRecord
  readonly streamed: boolean
  readonly began: number
  readonly model: ModelName
  /** Attributes of the span, and of the event with the content. */
  readonly attributes: Attributes
  /** What was asked, should it be exported. */
  readonly exportedRequest: Attributes | undefined
  /** Only where the answer is exported. */
  readonly collector: TurnCollector | undefined
  lastChunk: number
  chunks: number
  responseId: unknown
  responseModel: unknown
}

/** One call under way. */
export interface ToolRecord extends Started {
  readonly run: RunRecord
  readonly began: number
  readonly tool: ToolName
  /** The server of an MCP tool has said that its tool failed. */
  toolError: boolean
}

/** Ends everything as aborted, the last first: those that began last hang below the others. */
export function endAll(open: Open): void {
  for (const end of [...open.values()].toReversed()) safely(() => end('aborted'))
  open.clear()
}
