import type { RunStatus, Usage } from '@steploop/core'

/**
 * What `toUiMessageStream` writes: the part of the AI SDK's UI message stream, version 1, that a loop has something to say for. The names
 * are theirs; a test holds every chunk against the schema of `ai`.
 */
export type UiMessageChunk =
  | { readonly type: 'start'; readonly messageId?: string | undefined }
  | { readonly type: 'start-step' | 'finish-step' | 'reset-step' }
  | { readonly type: 'text-start' | 'text-end' | 'reasoning-start' | 'reasoning-end'; readonly id: string }
  | { readonly type: 'text-delta' | 'reasoning-delta'; readonly id: string; readonly delta: string }
  | ({ readonly type: 'tool-input-start' } & UiToolCall)
  | { readonly type: 'tool-input-delta'; readonly toolCallId: string; readonly inputTextDelta: string }
  | ({ readonly type: 'tool-input-available'; readonly input: unknown } & UiToolCall)
  | ({ readonly type: 'tool-input-error'; readonly input: unknown; readonly errorText: string } & UiToolCall)
  | { readonly type: 'tool-approval-request'; readonly approvalId: string; readonly toolCallId: string }
  | {
      readonly type: 'tool-approval-response'
      readonly approvalId: string
      readonly approved: boolean
      readonly reason?: string | undefined
    }
  | {
      readonly type: 'tool-output-available'
      readonly toolCallId: string
      readonly output: unknown
      readonly providerExecuted?: true | undefined
    }
  | {
      readonly type: 'tool-output-error'
      readonly toolCallId: string
      readonly errorText: string
      readonly providerExecuted?: true | undefined
    }
  | { readonly type: 'tool-output-denied'; readonly toolCallId: string }
  | UiSource
  | UiFile
  | UiDataChunk
  | { readonly type: 'message-metadata'; readonly messageMetadata: UiMessageMetadata }
  | { readonly type: 'finish'; readonly finishReason: UiFinishReason }
  | { readonly type: 'error'; readonly errorText: string }

interface UiToolCall {
  readonly toolCallId: string
  readonly toolName: string
  readonly providerExecuted?: true | undefined
  readonly dynamic?: true | undefined
}

/** `interrupted`: the run was stopped, or a limit or a hook ended it after calls; pages do not go on by themselves then. */
export type UiFinishReason = 'stop' | 'length' | 'content-filter' | 'tool-calls' | 'error' | 'interrupted' | 'other'

export type UiSource =
  | {
      readonly type: 'source-url'
      readonly sourceId: string
      readonly url: string
      readonly title?: string | undefined
    }
  | {
      readonly type: 'source-document'
      readonly sourceId: string
      readonly mediaType: string
      readonly title: string
    }

export interface UiFile {
  readonly type: 'file'
  readonly mediaType: string
  /** A data URL, or one of http or https. */
  readonly url: string
}

/** Data parts. Transient ones reach `onData` alone; the others are parts of the message. */
export type UiDataChunk =
  /** State of a call; the id is that of the call. */
  | { readonly type: 'data-tool-state'; readonly id: string; readonly data: UiToolState }
  /** The text part before it, or that of its slot, is the model's refusal. */
  | UiRefusal
  /** The structured answer as far as it came; a later one replaces it, and so does the message. */
  | {
      readonly type: 'data-partial-output'
      readonly transient: true
      readonly data: Readonly<Record<string, unknown>>
    }
  | {
      readonly type: 'data-warning'
      readonly transient: true
      readonly data: { readonly type: string; readonly message: string }
    }
  | {
      readonly type: 'data-retry'
      readonly transient: true
      readonly data: {
        readonly attempt: number
        readonly delayMs: number
        readonly code: string
        readonly message: string
      }
    }

export interface UiRefusal {
  readonly type: 'data-refusal'
  readonly data: { readonly text: string }
}

export interface UiToolState {
  readonly toolName: string
  readonly state: 'queued' | 'running' | 'completed' | 'failed'
  /** What the tool told last, while it runs. */
  readonly progress?: number | undefined
  readonly total?: number | undefined
  readonly message?: string | undefined
}

/** The `metadata` of a message: how its last run ended. */
export interface UiMessageMetadata {
  readonly status: RunStatus | 'failed' | 'aborted'
  /** Stop reason of the run, or the code of its error. */
  readonly stopReason: string
  /** How far a limit was used, or what a hook said. */
  readonly stopDetail?: string | undefined
  /** Tokens of the run. */
  readonly usage?: Usage | undefined
}

/** Headers of a response with a UI message stream. */
export const uiMessageStreamHeaders: Readonly<Record<string, string>> = Object.freeze({
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  // nginx would keep the text until there is enough of it.
  'x-accel-buffering': 'no',
  'x-vercel-ai-ui-message-stream': 'v1',
})

/** What ends a stream. */
export const endOfStream = 'data: [DONE]\n\n'

/** Proxies close a connection on which nothing comes for half a minute or so. */
export const heartbeatMs = 15_000
export const heartbeat = ': still here\n\n'

/** A chunk as a server-sent event. */
export function printChunk(chunk: UiMessageChunk): string {
  const text = JSON.stringify(chunk)
  return `data: ${suspect.test(text) ? JSON.stringify(chunk, withoutPrototypes) : text}\n\n`
}

/** Pages refuse a whole stream for one of these, and a model or a tool may say them. */
const suspect = /"(__proto__|constructor)":/

function withoutPrototypes(key: string, value: unknown): unknown {
  if (key === '__proto__') return undefined
  const names = typeof value === 'object' && value !== null && Object.hasOwn(value, 'prototype')
  return key === 'constructor' && names ? undefined : value
}
