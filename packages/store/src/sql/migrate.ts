import { sql, type Kysely } from 'kysely'
import { StoreError } from '../store.ts'
import type { SqlDatabase } from './database.ts'
import type { Schema } from './schema.ts'

/** What brings a database from one version to the next. Only ever appended to. */
const migrations: readonly (readonly string[])[] = [
  [
    `create table steploop_response (
      tenant text not null, id text not null, kind text not null, previous_id text, conversation_id text,
      position integer not null, status text not null, background integer not null, request text not null, result text not null,
      transcript_id text not null, pending text not null, lease_owner text, lease_until double precision,
      attempt integer not null, cancel_requested integer not null, deleted integer not null, idempotency_key text, body_hash text,
      created_at double precision not null, primary key (tenant, id))`,
    'create unique index steploop_response_key on steploop_response (tenant, idempotency_key)',
    'create index steploop_response_previous on steploop_response (tenant, previous_id)',
    'create index steploop_response_conversation on steploop_response (tenant, conversation_id, position)',
    'create index steploop_response_lease on steploop_response (lease_owner, lease_until)',
    'create index steploop_response_created on steploop_response (created_at)',
    `create table steploop_message (
      tenant text not null, response_id text not null, seq integer not null, data text not null,
      primary key (tenant, response_id, seq))`,
    `create table steploop_item (
      tenant text not null, response_id text not null, seq integer not null, id text not null, direction text not null,
      data text not null, covers text not null, deleted integer not null, primary key (tenant, response_id, seq))`,
    'create index steploop_item_id on steploop_item (tenant, id)',
    `create table steploop_conversation (
      tenant text not null, id text not null, metadata text not null, next_position integer not null, locked_by text,
      created_at double precision not null, primary key (tenant, id))`,
    `create table steploop_event (
      tenant text not null, response_id text not null, seq integer not null, data text not null,
      primary key (tenant, response_id, seq))`,
  ],
  [
    `create table steploop_chat (
      id text not null primary key, data text not null, revision integer not null, message_id text not null,
      entries integer not null, run_id text, lease_until double precision not null, stopping integer not null)`,
    `create table steploop_chat_entry (
      chat_id text not null, message_id text not null, seq integer not null, entry text not null,
      primary key (chat_id, message_id, seq))`,
  ],
  // What maintenance looks for, so that it never reads the whole table.
  [
    'create index steploop_response_open on steploop_response (status, lease_until)',
    'create index steploop_response_deleted on steploop_response (deleted) where deleted = 1',
    'create index steploop_response_background on steploop_response (background, created_at)',
  ],
  ['alter table steploop_item add column answered_by text'],
]

/** Makes or updates the tables. Throws `StoreError` `schema-too-new` for those of a later version of this package. */
export async function migrate(database: SqlDatabase): Promise<void> {
  await database.transaction(async (db) => {
    await database.lockSchema(db)
    await sql`create table if not exists steploop_meta (version integer not null)`.execute(db)
    const row = await db.selectFrom('steploop_meta').select('version').executeTakeFirst()
    const version = row?.version ?? 0
    if (version > migrations.length) {
      const message = `The database has version ${version} of the tables, and this package knows ${migrations.length}. Update @steploop/store.`
      throw new StoreError('schema-too-new', message)
    }
    if (version === migrations.length) return
    for (const statement of migrations.slice(version).flat()) await sql.raw(statement).execute(db)
    await writeVersion(db, row === undefined)
  })
}

async function writeVersion(db: Kysely<Schema>, isNew: boolean): Promise<void> {
  const version = migrations.length
  if (isNew) await db.insertInto('steploop_meta').values({ version }).execute()
  else await db.updateTable('steploop_meta').set({ version }).execute()
}
