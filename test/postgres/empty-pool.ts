import { Client, Pool, type PoolConfig } from 'pg'
import { afterAll } from 'vitest'

const address = process.env['STEPLOOP_POSTGRES'] ?? ''
if (address === '') {
  const example = 'STEPLOOP_POSTGRES=postgres://postgres@127.0.0.1:5432/postgres pnpm test:postgres'
  throw new Error(`These tests are for a Postgres server. Give its address: ${example}`)
}

/** A pool whose connections see a schema of their own, which is empty and goes when the file is over. */
export async function emptyPool(options: PoolConfig = {}) {
  const schema = `steploop_${crypto.randomUUID().replaceAll('-', '')}`
  const url = new URL(address)
  url.searchParams.set('options', `-c search_path=${schema} -c synchronous_commit=off`)
  await once(`create schema ${schema}`)
  const pool = new Pool({ connectionString: url.href, max: 4, idleTimeoutMillis: 100, ...options })
  // A server that ends an idle connection is news of the pool's, not of a query.
  pool.on('error', () => undefined)
  schemas.push({ schema, pool })
  return { pool, schema, url: url.href }
}

const schemas: { readonly schema: string; readonly pool: Pool }[] = []

afterAll(async () => {
  for (const { schema, pool } of schemas.splice(0)) {
    await pool.end()
    await once(`set synchronous_commit = off; drop schema ${schema} cascade`)
  }
}, 180_000)

/** One statement by a connection that stands outside of every pool. */
export async function once(statement: string) {
  const client = new Client({ connectionString: address })
  await client.connect()
  try {
    return await client.query(statement)
  } finally {
    await client.end()
  }
}
