import { sql, type Kysely } from 'kysely'
import type { PendingCall } from '@steploop/core'
import { historyOf, revisionOf, type Link } from '../history.ts'
import type { History, HistoryKey } from '../store.ts'
import { chunked, itemOf, messageOf } from './rows.ts'
import type { ItemRow, Schema } from './schema.ts'

type Db = Kysely<Schema>
type ChainRow = Pick<Schema['steploop_response'], 'id' | 'conversation_id' | 'position' | 'pending' | 'transcript_id'>

const over = ['completed', 'incomplete', 'failed', 'cancelled']
const columns = ['id', 'conversation_id', 'position', 'pending', 'transcript_id'] as const

export async function readHistory(db: Db, tenant: string, key: HistoryKey): Promise<History | undefined> {
  if ('conversationId' in key) return conversationHistory(db, tenant, key.conversationId)
  const rows = await chainRows(db, tenant, key.responseId)
  return rows && historyOf(await linksOf(db, tenant, rows))
}

async function conversationHistory(db: Db, tenant: string, id: string): Promise<History | undefined> {
  const query = db.selectFrom('steploop_conversation').select(['next_position', 'locked_by'])
  // First: what comes between the two is behind the revision, and not the other way round.
  const found = await query.where('tenant', '=', tenant).where('id', '=', id).executeTakeFirst()
  if (found === undefined) return undefined
  const rows = db.selectFrom('steploop_response').select(columns).where('tenant', '=', tenant)
  const own = rows.where('conversation_id', '=', id).where('status', 'in', over).orderBy('position')
  const history = historyOf(await linksOf(db, tenant, await own.execute()))
  return { ...history, revision: revisionOf(found.next_position, found.locked_by) }
}

/** Up to the first response, or to one of a conversation, which has all that came before it there. */
async function chainRows(db: Db, tenant: string, id: string): Promise<readonly ChainRow[] | undefined> {
  const { rows } = await sql<ChainRow>`
    with recursive chain (id, previous_id, conversation_id, position, pending, transcript_id, depth) as (
      select id, previous_id, conversation_id, position, pending, transcript_id, 0
        from steploop_response where tenant = ${tenant} and id = ${id} and deleted = 0
      union all
      select r.id, r.previous_id, r.conversation_id, r.position, r.pending, r.transcript_id, c.depth + 1
        from chain c join steploop_response r on r.tenant = ${tenant} and r.id = c.previous_id
        where c.conversation_id is null
    ) select id, conversation_id, position, pending, transcript_id from chain order by depth desc`.execute(db)
  const [first] = rows
  if (first === undefined) return undefined
  if (first.conversation_id === null) return rows
  const before = db.selectFrom('steploop_response').select(columns).where('tenant', '=', tenant)
  const own = before.where('conversation_id', '=', first.conversation_id).where('position', '<', first.position)
  return [...(await own.orderBy('position').execute()), ...rows]
}

async function linksOf(db: Db, tenant: string, rows: readonly ChainRow[]): Promise<readonly Link[]> {
  const messages = new Map<string, { data: string }[]>()
  const items = new Map<string, ItemRow[]>()
  for (const ids of chunked(rows.map(({ id }) => id))) {
    const own = db.selectFrom('steploop_message').select(['response_id', 'data']).where('tenant', '=', tenant)
    const texts = await own.where('response_id', 'in', ids).orderBy('response_id').orderBy('seq').execute()
    for (const row of texts) append(messages, row.response_id, row)
    const shown = db.selectFrom('steploop_item').selectAll().where('tenant', '=', tenant)
    const found = await shown.where('response_id', 'in', ids).orderBy('response_id').orderBy('seq').execute()
    for (const row of found) append(items, row.response_id, row)
  }
  return rows.map(({ id, pending, transcript_id: transcriptId }) => ({
    messages: (messages.get(id) ?? []).map(messageOf),
    items: (items.get(id) ?? []).map((row) => ({ ...itemOf(row), deleted: row.deleted === 1 })),
    pending: JSON.parse(pending) as readonly PendingCall[],
    transcriptId,
  }))
}

function append<T>(lists: Map<string, T[]>, key: string, value: T): void {
  const list = lists.get(key)
  if (list === undefined) lists.set(key, [value])
  else list.push(value)
}
