import type { Kysely } from 'kysely'
import { StoreError } from '../store.ts'
import type { SqlDatabase } from './database.ts'
import type { Schema } from './schema.ts'

interface Job {
  readonly work: (db: Kysely<Schema>) => Promise<unknown>
  readonly resolve: (value: unknown) => void
  readonly reject: (error: unknown) => void
}

type Outcome = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly error: unknown }

const most = 256

/**
 * Transactions over one connection, one after the other. Those that wait at the same time are committed together, each behind a savepoint
 * of its own: waiting for the disk is what takes the time.
 */
export function createGroupCommit(
  db: Kysely<Schema>,
  run: (statement: string) => Promise<unknown>,
): SqlDatabase['transaction'] {
  const queue: Job[] = []
  let isRunning = false
  const commitBatch = async (batch: readonly Job[]): Promise<void> => {
    const outcomes: Outcome[] = []
    try {
      await run('begin immediate')
      for (const job of batch) outcomes.push(await runJob(job))
      await run('commit')
    } catch (cause) {
      await run('rollback').catch(() => undefined)
      const message = 'The database did not take the transaction. Look at its disk and at who else holds it.'
      for (const job of batch) job.reject(new StoreError('write-failed', message, { cause }))
      return
    }
    for (const [index, outcome] of outcomes.entries()) {
      if (outcome.ok) batch[index]?.resolve(outcome.value)
      else batch[index]?.reject(outcome.error)
    }
  }
  const runJob = async ({ work }: Job): Promise<Outcome> => {
    await run('savepoint job')
    try {
      const value = await work(db)
      await run('release job')
      return { ok: true, value }
    } catch (error) {
      // A database that is full has ended the whole transaction: then this fails too, and with it the batch.
      await run('rollback to job')
      await run('release job')
      return { ok: false, error }
    }
  }
  const drain = async (): Promise<void> => {
    while (queue.length > 0) await commitBatch(queue.splice(0, most))
    isRunning = false
  }
  return <T>(work: (db: Kysely<Schema>) => Promise<T>) =>
    new Promise<T>((resolve, reject) => {
      queue.push({ work, resolve: (value) => resolve(value as T), reject })
      if (isRunning) return
      isRunning = true
      // What is asked for in the same turn of the event loop belongs to the first batch.
      queueMicrotask(() => void drain())
    })
}
