import type { ChatBeginning, ChatRun, ChatStore, ChatWrite } from '@steploop/chat'
import type { Kysely } from 'kysely'
import type { SqlDatabase } from '../sql/database.ts'
import { migrate } from '../sql/migrate.ts'
import type { ChatRow, Schema } from '../sql/schema.ts'

/** Rows of a statement: as many as fit into one statement of every database. */
const most = 1000

/** Who has a chat is in its one row, and each change of that row says in its `where` who may make it: so no two runs have it. */
export async function sqlChatStore(database: SqlDatabase, now: () => number = Date.now): Promise<ChatStore> {
  await migrate(database)
  const isRunning = (row: Pick<ChatRow, 'run_id' | 'lease_until'>): boolean =>
    row.run_id !== null && row.lease_until > now()
  return {
    load: async (chatId) => {
      const row = await database.read((db) =>
        db.selectFrom('steploop_chat').selectAll().where('id', '=', chatId).executeTakeFirst(),
      )
      if (row === undefined) return undefined
      const { data, revision, message_id: messageId, entries } = row
      return { data, revision, messageId, entries, isRunning: isRunning(row) }
    },
    begin: (chatId, beginning) => database.transaction((db) => begin(db, chatId, beginning, now())),
    write: (chatId, { runId, leaseMs }, write) =>
      database.transaction(async (db) => {
        const row = await change(db, chatId, runId, write, now(), { lease_until: now() + leaseMs })
        if (row === undefined) return 'lost'
        return row.stopping === 1 ? 'stopping' : 'stored'
      }),
    end: (chatId, runId, write) =>
      database.transaction(
        async (db) => (await change(db, chatId, runId, write, now(), { run_id: null })) !== undefined,
      ),
    read: async (chatId, messageId, after) => {
      const rows = await database.read((db) => readLog(db, chatId, messageId, after))
      const [chat] = rows
      if (chat === undefined) return undefined
      return { entries: rows.flatMap(({ entry }) => entry ?? []), isOpen: isRunning(chat) }
    },
    stop: (chatId) =>
      database.transaction(async (db) => {
        const stopped = db.updateTable('steploop_chat').set({ stopping: 1 }).where('id', '=', chatId)
        const running = stopped.where('run_id', 'is not', null).where('lease_until', '>', now())
        return (await running.returning('id').executeTakeFirst()) !== undefined
      }),
  }
}

async function begin(db: Kysely<Schema>, chatId: string, beginning: ChatBeginning, now: number): Promise<boolean> {
  const { runId, leaseMs, revision, messageId, data } = beginning
  const run = { data, revision: revision + 1, message_id: messageId, run_id: runId, lease_until: now + leaseMs }
  if (revision === 0) {
    const made = db.insertInto('steploop_chat').values({ id: chatId, ...run, entries: 0, stopping: 0 })
    return (
      (await made
        .onConflict((on) => on.doNothing())
        .returning('id')
        .executeTakeFirst()) !== undefined
    )
  }
  const taken = await db
    .updateTable('steploop_chat')
    .set((on) => ({
      ...run,
      stopping: 0,
      entries: on.case().when('message_id', '=', messageId).then(on.ref('entries')).else(0).end(),
    }))
    .where('id', '=', chatId)
    .where('revision', '=', revision)
    .where((on) => on.or([on('run_id', 'is', null), on('lease_until', '<=', now)]))
    .returning('id')
    .executeTakeFirst()
  if (taken === undefined) return false
  await db
    .deleteFrom('steploop_chat_entry')
    .where('chat_id', '=', chatId)
    .where('message_id', '!=', messageId)
    .execute()
  return true
}

/** `undefined` where the run does not have the chat: then nothing is stored. */
async function change(
  db: Kysely<Schema>,
  chatId: string,
  runId: ChatRun['runId'],
  { entries = [], data }: ChatWrite,
  now: number,
  run: Partial<Pick<ChatRow, 'run_id' | 'lease_until'>>,
): Promise<Pick<ChatRow, 'stopping'> | undefined> {
  const row = await db
    .updateTable('steploop_chat')
    .set((on) => ({ ...run, ...(data !== undefined && { data }), entries: on('entries', '+', entries.length) }))
    .where('id', '=', chatId)
    .where('run_id', '=', runId)
    .where('lease_until', '>', now)
    .returning(['entries', 'message_id', 'stopping'])
    .executeTakeFirst()
  if (row === undefined) return undefined
  const first = row.entries - entries.length
  const rows = entries.map((entry, n) => ({ chat_id: chatId, message_id: row.message_id, seq: first + n, entry }))
  for (let from = 0; from < rows.length; from += most) {
    const some = rows.slice(from, from + most)
    await db.insertInto('steploop_chat_entry').values(some).execute()
  }
  return row
}

/** The chat with each entry, in one statement: no other run begins between the two. */
function readLog(db: Kysely<Schema>, chatId: string, messageId: string, after: number) {
  return db
    .selectFrom('steploop_chat as chat')
    .leftJoin('steploop_chat_entry as log', (join) =>
      join
        .onRef('log.chat_id', '=', 'chat.id')
        .onRef('log.message_id', '=', 'chat.message_id')
        .on('log.seq', '>=', after),
    )
    .select(['chat.run_id', 'chat.lease_until', 'log.entry'])
    .where('chat.id', '=', chatId)
    .where('chat.message_id', '=', messageId)
    .orderBy('log.seq')
    .execute()
}
