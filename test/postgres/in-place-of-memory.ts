import type { OpenStore } from '@steploop/store'
import { postgresStore } from '@steploop/store/postgres'
import { vi } from 'vitest'
import { emptyPool } from './empty-pool.ts'

/** Every test that keeps its data in memory keeps it in Postgres. */
vi.mock('@steploop/store', async (load) => {
  const original = await load<typeof import('@steploop/store')>()
  return { ...original, memoryStore: () => later(open(), original.memoryStore()) }
})

async function open(): Promise<OpenStore> {
  const { pool } = await emptyPool()
  return postgresStore({ pool })
}

/** A store, and the same below `maintenance`, that is being opened. */
function later<T extends object>(opened: Promise<T>, like: T): T {
  opened.catch(() => undefined)
  const members = Object.entries(like).map(([name, member]: [string, unknown]) => {
    const there = async (): Promise<unknown> => Reflect.get(await opened, name)
    if (typeof member === 'object' && member !== null) return [name, later(there() as Promise<object>, member)]
    const call = async (...values: readonly unknown[]): Promise<unknown> => {
      const store = await opened
      return Reflect.apply(Reflect.get(store, name) as (...all: readonly unknown[]) => unknown, store, values)
    }
    return [name, call]
  })
  return Object.fromEntries(members) as T
}
