export type { ChatBeginning, ChatRun, ChatStore, ChatWrite, LogPage, StoredChat, WriteOutcome } from './chat-store.ts'
export { memoryStore, type MemoryStoreOptions } from './memory-store.ts'
