/** Tables. Flags are 0 or 1, times milliseconds since 1970, and JSON is text: it comes back as it was written, in every database. */
export interface Schema {
  steploop_meta: { version: number }
  steploop_response: ResponseRow
  steploop_message: { tenant: string; response_id: string; seq: number; data: string }
  steploop_item: ItemRow
  steploop_conversation: ConversationRow
  steploop_event: { tenant: string; response_id: string; seq: number; data: string }
  steploop_chat: ChatRow
  steploop_chat_entry: { chat_id: string; message_id: string; seq: number; entry: string }
}

export interface ResponseRow {
  tenant: string
  id: string
  kind: string
  previous_id: string | null
  conversation_id: string | null
  position: number
  status: string
  background: number
  request: string
  result: string
  transcript_id: string
  pending: string
  lease_owner: string | null
  lease_until: number | null
  attempt: number
  cancel_requested: number
  deleted: number
  idempotency_key: string | null
  body_hash: string | null
  created_at: number
}

export interface ItemRow {
  tenant: string
  response_id: string
  seq: number
  id: string
  direction: string
  data: string
  covers: string
  deleted: number
  /** The response that answered it, where one alone may. */
  answered_by?: string | null | undefined
}

export interface ConversationRow {
  tenant: string
  id: string
  metadata: string
  next_position: number
  /** The response that is not over. */
  locked_by: string | null
  created_at: number
}

export interface ChatRow {
  id: string
  data: string
  revision: number
  message_id: string
  /** How many the log has. */
  entries: number
  /** The run that has the chat, until its lease is over. */
  run_id: string | null
  lease_until: number
  stopping: number
}
