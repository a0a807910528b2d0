import { sql, type Kysely } from 'kysely'
import { pageOf } from '../history.ts'
import type {
  ConversationMethods,
  JsonObject,
  OpenStore,
  StoreMaintenance,
  StoredConversation,
  StoredItem,
} from '../store.ts'
import type { SqlDatabase } from './database.ts'
import { migrate } from './migrate.ts'
import { chunked, itemOf } from './rows.ts'
import type { ConversationRow, Schema } from './schema.ts'
import { hasManyWriters, remove, sqlResponses, type Key } from './sql-responses.ts'

type Db = Kysely<Schema>
const open = ['queued', 'in_progress']

/** A store over any SQL database that kysely speaks to. Makes its tables, or brings them up to date. */
export async function sqlStore(database: SqlDatabase): Promise<OpenStore> {
  await migrate(database)
  return {
    ...sqlResponses(database),
    ...sqlConversations(database),
    addEvents: (tenant, id, events) =>
      database.transaction(async (db) => {
        const rows = events.map(({ sequence: seq, data }) => ({
          tenant,
          response_id: id,
          seq,
          data: JSON.stringify(data),
        }))
        for (const part of chunked(rows)) {
          const insert = db.insertInto('steploop_event').values(part)
          await insert.onConflict((on) => on.columns(['tenant', 'response_id', 'seq']).doNothing()).execute()
        }
      }),
    events: (tenant, id, after) =>
      database.read(async (db) => {
        const query = db.selectFrom('steploop_event').select(['seq', 'data']).where('tenant', '=', tenant)
        const rows = await query.where('response_id', '=', id).where('seq', '>', after).orderBy('seq').execute()
        return rows.map(({ seq, data }) => ({ sequence: seq, data: JSON.parse(data) as JsonObject }))
      }),
    maintenance: sqlMaintenance(database),
  }
}

function sqlConversations({ transaction, read }: SqlDatabase): ConversationMethods {
  return {
    createConversation: (tenant, { id, metadata, createdAt: created_at }) =>
      transaction(async (db) => {
        const row = { tenant, id, metadata: JSON.stringify(metadata), next_position: 0, locked_by: null, created_at }
        await db.insertInto('steploop_conversation').values(row).execute()
      }),
    conversation: (tenant, id) => read((db) => conversationAt(db, { tenant, id })),
    updateConversation: (tenant, id, metadata) =>
      transaction(async (db) => {
        const own = db.updateTable('steploop_conversation').where('tenant', '=', tenant).where('id', '=', id)
        await own.set({ metadata: JSON.stringify(metadata) }).execute()
        return conversationAt(db, { tenant, id })
      }),
    deleteConversation: (tenant, id) =>
      transaction(async (db) => {
        const own = db.deleteFrom('steploop_conversation').where('tenant', '=', tenant).where('id', '=', id)
        return (await own.executeTakeFirst()).numDeletedRows > 0n
      }),
    conversationItems: (tenant, id, page) =>
      read(async (db) => {
        const items = await itemsOf(db, { tenant, id })
        return items && pageOf(items, page)
      }),
    conversationItem: (tenant, id, itemId) =>
      read(async (db) => (await itemsOf(db, { tenant, id }))?.find((item) => item.id === itemId)),
    deleteConversationItem: (tenant, id, itemId) =>
      transaction(async (db) => {
        const items = await itemsOf(db, { tenant, id })
        if (items?.some((item) => item.id === itemId) !== true) return false
        const own = db.updateTable('steploop_item').set({ deleted: 1 }).where('tenant', '=', tenant)
        await own.where('id', '=', itemId).execute()
        return true
      }),
  }
}

async function conversationAt(db: Db, { tenant, id }: Key): Promise<StoredConversation | undefined> {
  const query = db.selectFrom('steploop_conversation').selectAll().where('tenant', '=', tenant).where('id', '=', id)
  const row: ConversationRow | undefined = await query.executeTakeFirst()
  return row && { id, metadata: JSON.parse(row.metadata) as JsonObject, createdAt: row.created_at }
}

async function itemsOf(db: Db, key: Key): Promise<StoredItem[] | undefined> {
  if ((await conversationAt(db, key)) === undefined) return undefined
  const rows = await db
    .selectFrom('steploop_item as item')
    .innerJoin('steploop_response as response', (join) =>
      join.onRef('response.tenant', '=', 'item.tenant').onRef('response.id', '=', 'item.response_id'),
    )
    .selectAll('item')
    .where('response.tenant', '=', key.tenant)
    .where('response.conversation_id', '=', key.id)
    .where('response.status', 'not in', open)
    .where('item.deleted', '=', 0)
    .orderBy('response.position')
    .orderBy('item.seq')
    .execute()
  return rows.map(itemOf)
}

function sqlMaintenance({ transaction, read, close }: SqlDatabase): StoreMaintenance {
  return {
    renew: (owner, until, slack = 0) =>
      transaction(async (db) => {
        const own = db.updateTable('steploop_response').set({ lease_until: until }).where('lease_owner', '=', owner)
        await own.where('lease_until', '<', until - slack).execute()
        const held = db.selectFrom('steploop_response').select(['tenant', 'id']).where('lease_owner', '=', owner)
        const rows = await held.where('cancel_requested', '=', 1).execute()
        return rows.map(({ tenant, id: responseId }) => ({ tenant, responseId }))
      }),
    expired: (now) =>
      read(async (db) => {
        const rows = await db
          .selectFrom('steploop_response')
          .select(['tenant', 'id'])
          .where('status', 'in', open)
          .where('deleted', '=', 0)
          .where((row) => row.or([row('lease_until', 'is', null), row('lease_until', '<', now)]))
          .execute()
        return rows.map(({ tenant, id: responseId }) => ({ tenant, responseId }))
      }),
    purge: (before, eventsBefore) => transaction((db) => purge(db, before, eventsBefore)),
    close,
  }
}

async function purge(db: Db, before: number, eventsBefore: number): Promise<number> {
  await sql`
    delete from steploop_event where (tenant, response_id) in (
      select r.tenant, r.id from steploop_response r
      where r.background = 1 and r.created_at < ${eventsBefore} and r.status not in ('queued', 'in_progress'))`.execute(
    db,
  )
  for (let removed = 0; ;) {
    const lock = hasManyWriters(db) ? sql` for update of r` : sql``
    const { rows: due } = await sql<Key>`
      select r.tenant, r.id from steploop_response r
      where r.status not in ('queued', 'in_progress') and (r.deleted = 1 or r.created_at < ${before})
        and not exists (select 1 from steploop_response child where child.tenant = r.tenant and child.previous_id = r.id)
        and not exists (select 1 from steploop_conversation c where c.tenant = r.tenant and c.id = r.conversation_id)${lock}`.execute(
      db,
    )
    if (due.length === 0) return removed
    for (const key of due) {
      if (await hasNext(db, key)) continue
      await remove(db, key)
      removed++
    }
  }
}

/** Somebody may have gone on from it between the look and the lock. */
async function hasNext(db: Db, { tenant, id }: Key): Promise<boolean> {
  const next = db.selectFrom('steploop_response').select('id').where('tenant', '=', tenant)
  return (await next.where('previous_id', '=', id).executeTakeFirst()) !== undefined
}
