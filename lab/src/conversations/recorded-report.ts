import type { Allowance } from './allowances.ts'
import type { Difference } from './finding.ts'
import type { Apart } from './link-turns.ts'

/** What `steploop conformance --recorded` found in one folder. */
export interface RecordedReport {
  readonly directory: string
  /** By wire format. */
  readonly formats: Readonly<Record<string, FormatCounts>>
  /** Sessions that hold no conversation of a loop, by the reason. */
  readonly apart: Readonly<Partial<Record<Apart, readonly string[]>>>
  /** Exchanges beside the conversations of the other sessions, and where a conversation ends early, by the reason: `file #exchange`. */
  readonly besides: Readonly<Partial<Record<Apart, readonly string[]>>>
  /** Where requests differ in what is allowed, by the reason: `file #exchange`. */
  readonly allowed: Readonly<Partial<Record<Allowance, readonly string[]>>>
  /** Scenarios of the suite that sessions without any difference left show: the wire formats in which they do. */
  readonly scenarios: Readonly<Record<string, readonly string[]>>
  /** Recordings that have to be among the sessions where the folder holds them. */
  readonly required: readonly RequiredCase[]
  /** What is not explained, and what could not be read. */
  readonly findings: readonly RecordedFinding[]
}

export interface FormatCounts {
  /** Files. */
  sessions: number
  conversations: number
  turns: number
  /** Requests of ours that were compared with recorded ones. */
  requests: number
  /** Compared requests with results of tools. */
  followUps: number
  /** Requests that are equal in all that is compared. */
  equal: number
  /** Requests that differ only in what is allowed. */
  allowed: number
}

export interface RequiredCase {
  readonly name: string
  /** Absent: the folder does not hold it. */
  readonly file?: string | undefined
  readonly ok: boolean
}

export interface RecordedFinding {
  readonly file: string
  /** Index of the exchange in the file. */
  readonly interaction: number
  readonly difference?: Difference | undefined
  /** In place of a difference: why the loop stopped before the end of the conversation, or why the file cannot be read. */
  readonly message?: string | undefined
  /** The file cannot be read, so that nothing of it was compared. */
  readonly isUnreadable?: true | undefined
}

export function emptyFormatCounts(): FormatCounts {
  return { sessions: 0, conversations: 0, turns: 0, requests: 0, followUps: 0, equal: 0, allowed: 0 }
}

/** Why a session is apart, for a person. */
export const apartReasons: Readonly<Record<Apart, string>> = {
  'hand-edited': 'a person wrote or changed the recording',
  edited: 'the client changed what had been said before it sent it again, or said it in a legacy form',
  'handed-over': 'the conversation goes on at another provider',
  refused: 'the loop or the adapter does not take what the client sent, and says so',
  cut: 'the recorded response breaks off, or is not there',
  'no-request': 'the recording holds no request',
  failed: 'the provider answered with an error',
  single: 'no request continues another one: not the work of a loop',
  'no-turn': 'polling and the like',
  'out-of-scope': 'no adapter speaks the format',
}
