import { chatStoreCases } from '@steploop/chat/testing'
import { postgresChatStore } from '@steploop/store/chat/postgres'
import { storeContract } from '@steploop/store/contract'
import { postgresStore } from '@steploop/store/postgres'
import { expect, test } from 'vitest'
import { emptyPool } from './empty-pool.ts'

test.each(storeContract)('Postgres: $title', async ({ run }) => {
  const { pool } = await emptyPool()
  await expect(run(await postgresStore({ pool }))).resolves.toBeUndefined()
})

test.for(chatStoreCases)('Postgres: $name', async ({ run }) => {
  const { pool } = await emptyPool()
  let time = 0
  const now = () => time
  const [store, other] = [await postgresChatStore({ pool, now }), await postgresChatStore({ pool, now })]
  await expect(run({ store, other, pass: (ms) => void (time += ms) })).resolves.toBeUndefined()
})
