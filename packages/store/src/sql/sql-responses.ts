import type { InsertObject, Kysely } from 'kysely'
import { pageOf } from '../history.ts'
import {
  isOver,
  leaseLost,
  type Accepted,
  type Lease,
  type NewResponse,
  type ResponseProgress,
  type ResponseMethods,
  type StoredItem,
  type StoredResponse,
} from '../store.ts'
import type { SqlDatabase } from './database.ts'
import { chunked, dataRows, itemOf, itemRows, messageOf, responseOf, responseRow } from './rows.ts'
import type { ResponseRow, Schema } from './schema.ts'
import { readHistory } from './sql-history.ts'

type Db = Kysely<Schema>
const open = ['queued', 'in_progress']

export function sqlResponses(database: SqlDatabase): ResponseMethods {
  const { transaction, read } = database
  return {
    accept: (tenant, response) => accept(database, tenant, response),
    answer: (tenant, id, itemIds) => unlessRefused(transaction((db) => answer(db, { tenant, id }, itemIds))),
    save: (tenant, id, progress) => transaction((db) => save(db, { tenant, id }, progress)),
    discard: (tenant, id, owner) =>
      transaction(async (db) => {
        await held(db, { tenant, id }, owner)
        await remove(db, { tenant, id })
      }),
    response: (tenant, id) =>
      read(async (db) => {
        const row = await visible(db, { tenant, id })
        return row && responseOf(row)
      }),
    messages: (tenant, id) =>
      read(async (db) => {
        const query = db.selectFrom('steploop_message').select('data').where('tenant', '=', tenant)
        return (await query.where('response_id', '=', id).orderBy('seq').execute()).map(messageOf)
      }),
    deleteResponse: (tenant, id) => transaction((db) => markDeleted(db, { tenant, id })),
    requestCancel: (tenant, id) => transaction((db) => requestCancel(db, { tenant, id })),
    claim: (tenant, id, lease, now) => transaction((db) => claim(db, { tenant, id }, lease, now)),
    history: (tenant, key) => read((db) => readHistory(db, tenant, key)),
    item: (tenant, id) =>
      read(async (db) => {
        const query = db.selectFrom('steploop_item').selectAll().where('tenant', '=', tenant).where('id', '=', id)
        const row = await query.where('deleted', '=', 0).executeTakeFirst()
        return row && { item: itemOf(row), responseId: row.response_id }
      }),
    responseItems: (tenant, id, direction, page) =>
      read(async (db) => {
        if ((await visible(db, { tenant, id })) === undefined) return undefined
        return pageOf(await itemsOf(db, { tenant, id }, direction), page)
      }),
  }
}

export interface Key {
  readonly tenant: string
  readonly id: string
}

async function markDeleted(db: Db, key: Key): Promise<boolean> {
  if ((await visible(db, key)) === undefined) return false
  await unlock(db, key)
  const own = db.updateTable('steploop_response').where('tenant', '=', key.tenant).where('id', '=', key.id)
  await own.set({ deleted: 1, idempotency_key: null }).execute()
  return true
}

async function requestCancel(db: Db, key: Key): Promise<StoredResponse | undefined> {
  const own = db.updateTable('steploop_response').where('tenant', '=', key.tenant).where('id', '=', key.id)
  await own.where('status', 'in', open).set({ cancel_requested: 1 }).execute()
  const row = await visible(db, key)
  return row && responseOf(row)
}

async function claim(db: Db, key: Key, lease: Lease, now: number): Promise<StoredResponse | undefined> {
  const claimed = db
    .updateTable('steploop_response')
    .set((row) => ({ lease_owner: lease.owner, lease_until: lease.until, attempt: row('attempt', '+', 1) }))
    .where('tenant', '=', key.tenant)
    .where('id', '=', key.id)
    .where('deleted', '=', 0)
    .where('status', 'in', open)
    .where((row) => row.or([row('lease_until', 'is', null), row('lease_until', '<', now)]))
  const row = await claimed.returningAll().executeTakeFirst()
  return row && responseOf(row)
}

async function itemsOf(db: Db, { tenant, id }: Key, direction: StoredItem['direction']): Promise<StoredItem[]> {
  const query = db.selectFrom('steploop_item').selectAll().where('tenant', '=', tenant).where('response_id', '=', id)
  const rows = await query.where('direction', '=', direction).where('deleted', '=', 0).orderBy('seq').execute()
  return rows.map(itemOf)
}

async function visible(db: Db, { tenant, id }: Key): Promise<ResponseRow | undefined> {
  const query = db.selectFrom('steploop_response').selectAll().where('tenant', '=', tenant).where('id', '=', id)
  return query.where('deleted', '=', 0).where('kind', '=', 'response').executeTakeFirst()
}

/** Another request with the same key was first, between the look and the write. */
class KeyTaken extends Error {}

/** Takes the transaction back. */
class Refused extends Error {
  readonly outcome: Accepted

  constructor(outcome: Accepted) {
    super(outcome.type)
    this.outcome = outcome
  }
}

async function unlessRefused(accepted: Promise<Accepted>): Promise<Accepted> {
  return accepted.catch((error: unknown) => {
    if (error instanceof Refused) return error.outcome
    throw error
  })
}

async function accept(database: SqlDatabase, tenant: string, given: NewResponse): Promise<Accepted> {
  try {
    const outcome = await unlessRefused(database.transaction((db) => acceptOnce(db, tenant, given)))
    const isLate = given.idempotency !== undefined && (outcome.type === 'locked' || outcome.type === 'answered')
    // It was so by a request with the same key, where that one was first since the look.
    return (isLate ? await database.read((db) => withKey(db, tenant, given)) : undefined) ?? outcome
  } catch (error) {
    if (!(error instanceof KeyTaken)) throw error
    return accept(database, tenant, given)
  }
}

async function acceptOnce(db: Db, tenant: string, given: NewResponse): Promise<Accepted> {
  const { previousId, conversationId, id } = given
  const repeated = await withKey(db, tenant, given)
  if (repeated !== undefined) return repeated
  if (previousId !== undefined) {
    const query = db.selectFrom('steploop_response').select('id').where('tenant', '=', tenant)
    const previous = query.where('id', '=', previousId).where('deleted', '=', 0)
    // Nobody purges it before this one is seen to go on from it.
    const found = await previous.$if(hasManyWriters(db), (row) => row.forShare()).executeTakeFirst()
    if (found === undefined) return { type: 'not-found' }
  }
  const position = conversationId === undefined ? 0 : await takePosition(db, { tenant, id: conversationId }, given)
  if (typeof position !== 'number') return position
  await answer(db, { tenant, id }, given.answers ?? [])
  const insert = db.insertInto('steploop_response').values(responseRow(tenant, given, position))
  const inserted = await insert
    .onConflict((on) => on.columns(['tenant', 'idempotency_key']).doNothing())
    .executeTakeFirst()
  if (inserted.numInsertedOrUpdatedRows === 0n) throw new KeyTaken()
  await insertAll(db, 'steploop_message', dataRows(tenant, id, 0, given.messages))
  await insertAll(db, 'steploop_item', itemRows(tenant, id, 0, given.items))
  return { type: 'accepted' }
}

async function withKey(db: Db, tenant: string, { idempotency }: NewResponse): Promise<Accepted | undefined> {
  if (idempotency === undefined) return undefined
  const query = db.selectFrom('steploop_response').selectAll().where('tenant', '=', tenant)
  const same = await query.where('idempotency_key', '=', idempotency.key).executeTakeFirst()
  if (same === undefined) return undefined
  const isRepeated = same.body_hash === idempotency.body
  return isRepeated ? { type: 'repeated', response: responseOf(same) } : { type: 'key-reused' }
}

/** SQLite has one at a time, and no locks of rows. */
export function hasManyWriters(db: Db): boolean {
  return db.getExecutor().adapter.supportsMultipleConnections !== false
}

/** Throws `Refused` unless all of the items were free. */
async function answer(db: Db, { tenant, id }: Key, itemIds: readonly string[]): Promise<Accepted> {
  if (itemIds.length === 0) return { type: 'accepted' }
  const asked = db.updateTable('steploop_item').where('tenant', '=', tenant).where('id', 'in', itemIds)
  const marked = await asked.where('answered_by', 'is', null).set({ answered_by: id }).executeTakeFirst()
  if (Number(marked.numUpdatedRows) === itemIds.length) return { type: 'accepted' }
  const taken = db.selectFrom('steploop_item').select(['id', 'answered_by']).where('tenant', '=', tenant)
  const row = await taken.where('id', 'in', itemIds).where('answered_by', '!=', id).executeTakeFirst()
  if (row?.answered_by == null) throw new Refused({ type: 'not-found' })
  throw new Refused({ type: 'answered', itemId: row.id, responseId: row.answered_by })
}

/** The next position of the conversation, which is locked for a response that is not over. */
async function takePosition(db: Db, { tenant, id }: Key, given: NewResponse): Promise<number | Accepted> {
  const taken = await db
    .updateTable('steploop_conversation')
    .set((row) => ({ next_position: row('next_position', '+', 1), locked_by: isOver(given.status) ? null : given.id }))
    .where('tenant', '=', tenant)
    .where('id', '=', id)
    .where('locked_by', 'is', null)
    .$if(given.revision !== undefined, (free) => free.where('next_position', '=', Number(given.revision)))
    .returning('next_position')
    .executeTakeFirst()
  if (taken !== undefined) return taken.next_position - 1
  const query = db.selectFrom('steploop_conversation').select('id').where('tenant', '=', tenant).where('id', '=', id)
  return { type: (await query.executeTakeFirst()) === undefined ? 'not-found' : 'locked' }
}

/** Throws unless the owner still has the lease. In Postgres the row stays locked until the transaction is over. */
async function held(db: Db, { tenant, id }: Key, owner: string): Promise<void> {
  const mine = db.updateTable('steploop_response').set({ lease_owner: owner }).where('tenant', '=', tenant)
  const found = await mine
    .where('id', '=', id)
    .where('lease_owner', '=', owner)
    .where('deleted', '=', 0)
    .executeTakeFirst()
  if (found.numUpdatedRows === 0n) throw leaseLost(id)
}

async function save(db: Db, key: Key, progress: ResponseProgress): Promise<void> {
  const { owner, pending, status, result } = progress
  await held(db, key, owner)
  await writeRows(db, key, progress)
  const over = status !== undefined && isOver(status)
  const changes = {
    ...(pending && { pending: JSON.stringify(pending) }),
    ...(status && { status }),
    ...(result && { result: JSON.stringify(result) }),
    ...(over && { lease_owner: null, lease_until: null }),
  }
  if (Object.keys(changes).length > 0) {
    const mine = db.updateTable('steploop_response').set(changes).where('tenant', '=', key.tenant)
    await mine.where('id', '=', key.id).execute()
  }
  if (over) await unlock(db, key)
}

async function writeRows(db: Db, { tenant, id }: Key, { messages, items }: ResponseProgress): Promise<void> {
  const forget = async (table: 'steploop_message' | 'steploop_item', from: number): Promise<void> => {
    const old = db.deleteFrom(table).where('tenant', '=', tenant).where('response_id', '=', id)
    await old.where('seq', '>=', from).execute()
  }
  if (messages !== undefined) {
    await forget('steploop_message', messages.from)
    await insertAll(db, 'steploop_message', dataRows(tenant, id, messages.from, messages.list))
  }
  if (items !== undefined) {
    await forget('steploop_item', items.from)
    await insertAll(db, 'steploop_item', itemRows(tenant, id, items.from, items.list))
  }
}

async function insertAll<Table extends 'steploop_message' | 'steploop_item'>(
  db: Db,
  table: Table,
  rows: readonly InsertObject<Schema, Table>[],
): Promise<void> {
  for (const part of chunked(rows)) await db.insertInto(table).values(part).execute()
}

async function unlock(db: Db, { tenant, id }: Key): Promise<void> {
  const locked = db.updateTable('steploop_conversation').set({ locked_by: null }).where('tenant', '=', tenant)
  await locked.where('locked_by', '=', id).execute()
}

/** With all that belongs to it. */
export async function remove(db: Db, { tenant, id }: Key): Promise<void> {
  await unlock(db, { tenant, id })
  for (const table of ['steploop_message', 'steploop_item', 'steploop_event'] as const)
    await db.deleteFrom(table).where('tenant', '=', tenant).where('response_id', '=', id).execute()
  await db.deleteFrom('steploop_response').where('tenant', '=', tenant).where('id', '=', id).execute()
}
