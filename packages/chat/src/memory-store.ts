import type { ChatStore, ChatWrite } from './chat-store.ts'

interface KeptChat {
  data: string
  revision: number
  messageId: string
  entries: string[]
  run: KeptRun | undefined
}

interface KeptRun {
  readonly id: string
  /** When it is taken for dead. */
  until: number
  isStopping: boolean
}

export interface MemoryStoreOptions {
  /** Milliseconds since the epoch. Default: the system's. */
  readonly now?: (() => number) | undefined
}

/** Chats in the memory of one process, until it ends. No chat is ever thrown away. */
export function memoryStore({ now = Date.now }: MemoryStoreOptions = {}): ChatStore {
  const chats = new Map<string, KeptChat>()
  const runOf = (chat: KeptChat | undefined): KeptRun | undefined =>
    chat?.run !== undefined && chat.run.until > now() ? chat.run : undefined
  return {
    load: async (chatId) => {
      const chat = chats.get(chatId)
      if (chat === undefined) return undefined
      const { data, revision, messageId, entries } = chat
      return { data, revision, messageId, entries: entries.length, isRunning: runOf(chat) !== undefined }
    },
    begin: async (chatId, { runId, leaseMs, revision, messageId, data }) => {
      const chat = chats.get(chatId)
      if (runOf(chat) !== undefined || (chat?.revision ?? 0) !== revision) return false
      const entries = chat?.messageId === messageId ? chat.entries : []
      const run = { id: runId, until: now() + leaseMs, isStopping: false }
      chats.set(chatId, { data, revision: revision + 1, messageId, entries, run })
      return true
    },
    write: async (chatId, { runId, leaseMs }, write) => {
      const chat = chats.get(chatId)
      const run = runOf(chat)
      if (chat === undefined || run?.id !== runId) return 'lost'
      apply(chat, write)
      run.until = now() + leaseMs
      return run.isStopping ? 'stopping' : 'stored'
    },
    end: async (chatId, runId, write) => {
      const chat = chats.get(chatId)
      if (chat === undefined || runOf(chat)?.id !== runId) return false
      apply(chat, write)
      chat.run = undefined
      return true
    },
    read: async (chatId, messageId, after) => {
      const chat = chats.get(chatId)
      if (chat?.messageId !== messageId) return undefined
      return { entries: chat.entries.slice(after), isOpen: runOf(chat) !== undefined }
    },
    stop: async (chatId) => {
      const run = runOf(chats.get(chatId))
      if (run === undefined) return false
      run.isStopping = true
      return true
    },
  }
}

function apply(chat: KeptChat, { entries = [], data }: ChatWrite): void {
  for (const entry of entries) chat.entries.push(entry)
  if (data !== undefined) chat.data = data
}
