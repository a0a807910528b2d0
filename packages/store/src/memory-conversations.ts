import { pageOf } from './history.ts'
import { shownItem, type MemoryResponse, type MemoryTenant } from './memory-state.ts'
import { isOver } from './store.ts'
import type { ConversationMethods } from './store.ts'

export function memoryConversations(of: (tenant: string) => MemoryTenant): ConversationMethods {
  const itemsOf = (tenant: string, id: string): MemoryResponse['items'] | undefined => {
    const { conversations, responses } = of(tenant)
    if (!conversations.has(id)) return undefined
    const rows = [...responses.values()].filter(({ response }) => response.conversationId === id)
    const items = rows.filter(({ response }) => isOver(response.status)).flatMap((row) => row.items)
    return items.filter(({ deleted }) => deleted !== true)
  }
  return {
    createConversation: async (tenant, conversation) => {
      const kept = structuredClone(conversation)
      of(tenant).conversations.set(kept.id, { conversation: kept, nextPosition: 0, lockedBy: undefined })
    },
    conversation: async (tenant, id) => structuredClone(of(tenant).conversations.get(id)?.conversation),
    updateConversation: async (tenant, id, metadata) => {
      const found = of(tenant).conversations.get(id)
      if (found === undefined) return undefined
      found.conversation = { ...found.conversation, metadata: structuredClone(metadata) }
      return structuredClone(found.conversation)
    },
    deleteConversation: async (tenant, id) => of(tenant).conversations.delete(id),
    conversationItems: async (tenant, id, page) => {
      const items = itemsOf(tenant, id)
      return (
        items &&
        pageOf(
          items.flatMap((item) => shownItem(item) ?? []),
          page,
        )
      )
    },
    conversationItem: async (tenant, id, itemId) => shownItem(itemsOf(tenant, id)?.find((item) => item.id === itemId)),
    deleteConversationItem: async (tenant, id, itemId) => {
      const item = itemsOf(tenant, id)?.find((each) => each.id === itemId)
      if (item === undefined) return false
      item.deleted = true
      return true
    },
  }
}
