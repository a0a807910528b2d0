import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { guardedFetch } from './guarded-fetch.ts'

test('a name that means an inner address is not asked, whatever else it means', async () => {
  let reached = 0
  const server = createServer((_request, response) => {
    reached++
    response.end('x')
  }).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const answers = [['93.184.216.34', '127.0.0.1'], ['127.0.0.1'], []]
  for (const addresses of answers) {
    const found = addresses.map((address) => ({ address, family: 4 }))
    const resolve: NonNullable<Parameters<typeof guardedFetch>[0]['resolve']> = (_host, done) => done(null, found)
    const asked = guardedFetch({ hosts: ['allowed.example'], resolve })(`https://allowed.example:${port}/`)
    await expect(asked).rejects.toThrow('not asked')
  }
  expect(reached).toBe(0)
})

test('only https is fetched, and only from hosts that are allowed', async () => {
  const ask = guardedFetch({ hosts: ['allowed.example'] })
  for (const url of ['http://allowed.example/', 'https://other.example/']) {
    await expect(ask(url)).rejects.toThrow('not asked')
  }
})
