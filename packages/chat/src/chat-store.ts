/** What a store has of a chat. */
export interface StoredChat {
  /** What `createChat` wrote last, a JSON text that only it reads. */
  readonly data: string
  /** How many runs have begun. */
  readonly revision: number
  /** The assistant message that the log is of. */
  readonly messageId: string
  /** Number of entries in the log. */
  readonly entries: number
  /** A run has the chat, and writes that message. */
  readonly isRunning: boolean
}

/** Who writes. */
export interface ChatRun {
  readonly runId: string
  /** Milliseconds from now, after which the run is taken for dead unless it writes again. */
  readonly leaseMs: number
}

/** What a run begins with. All of it is stored, or nothing. */
export interface ChatBeginning extends ChatRun {
  /** Revision of the chat which the run goes on from; 0 for a chat that never was. */
  readonly revision: number
  /** The message that it writes. The log is emptied, unless it is that of this message already. */
  readonly messageId: string
  /** Data that takes the place of the chat's. */
  readonly data: string
}

/** What a run adds; what is absent stays as it is. All of it is stored, or nothing. */
export interface ChatWrite {
  /** Appended to the log, in order. */
  readonly entries?: readonly string[] | undefined
  /** Data that takes the place of the chat's. */
  readonly data?: string | undefined
}

/** `stopping`: stored, and the run was asked to end. `lost`: the run does not have the chat any more; nothing was stored. */
export type WriteOutcome = 'stored' | 'stopping' | 'lost'

/** A part of a log. */
export interface LogPage {
  /** Entries after the first `after` ones, in order. A store may give some of them only, but at least one where there is one. */
  readonly entries: readonly string[]
  /** There will be more: a run is writing, or entries were left out. */
  readonly isOpen: boolean
}

/**
 * Where chats are kept: of each chat its data, the log of one assistant message, and which run has it. Texts, which are well-formed and
 * without NUL, come back as they were given. Ids have up to 200 characters. `@steploop/chat/testing` has the cases that a store has to pass.
 *
 * A run has a chat from `begin` to `end`, or until its lease is over: then its server is thought dead, and another run may begin. Several
 * servers may call at once, and each call is atomic. A promise that rejects says that nothing was stored; the run is ended then.
 */
export interface ChatStore {
  /** What there is of the chat; `undefined` for one that never was. */
  load(chatId: string): Promise<StoredChat | undefined>
  /** Gives the chat to a run, and makes the chat if it never was. False: another run has it, or has had it since that `revision`. */
  begin(chatId: string, beginning: ChatBeginning): Promise<boolean>
  /** Stores what the run adds, and prolongs its lease; with an empty `write` it does only that. */
  write(chatId: string, run: ChatRun, write: ChatWrite): Promise<WriteOutcome>
  /** Stores the last of the run and lets the chat go, in one. False: the run did not have it any more; nothing was stored. */
  end(chatId: string, runId: string, write: ChatWrite): Promise<boolean>
  /** The log of a message after its first `after` entries; `undefined` where the log is that of another message, or there is none. */
  read(chatId: string, messageId: string, after: number): Promise<LogPage | undefined>
  /** Asks the run that has the chat to end: its next `write` tells it. False: none has it. */
  stop(chatId: string): Promise<boolean>
}
