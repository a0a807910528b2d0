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

export interface GroupCommitOptions {
  readonly run: (statement: string) => Promise<unknown>
  /** Calls when the tasks that are due now are done. */
  readonly later: (call: () => void) => void
}

/**
 * Transactions over one connection, one after the other. Those that wait at the same time are committed together, each behind a savepoint
 * of its own: waiting for the disk is what takes the time.
 */
export function createGroupCommit(db: Kysely<Schema>, { run, later }: GroupCommitOptions): SqlDatabase['transaction'] {
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
    await commitBatch(queue.splice(0, most))
    isRunning = queue.length > 0
    if (isRunning) soon()
  }
  /** What all of this turn of the event loop ask for belongs to one batch: every request and every timer is a task of its own. */
  const soon = (): void => later(() => void drain())
  return <T>(work: (db: Kysely<Schema>) => Promise<T>) =>
    new Promise<T>((resolve, reject) => {
      queue.push({ work, resolve: (value) => resolve(value as T), reject })
      if (isRunning) return
      isRunning = true
      soon()
    })
}
