import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { guardedFetch, isInnerAddress } from './guarded-fetch.ts'

test.each([
  '127.0.0.1',
  '0.0.0.0',
  '10.1.2.3',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.1.1',
  '169.254.169.254',
  '100.64.0.1',
  '255.255.255.255',
  '224.0.0.1',
  '::1',
  '::',
  '::ffff:127.0.0.1',
  '::ffff:10.0.0.1',
  '64:ff9b::7f00:1',
  '2002:7f00:1::',
  'fd00::1',
  'fe80::1',
  'ff02::1',
  'nonsense',
])('the address %s is inside, and not fetched', (address) => {
  expect(isInnerAddress(address)).toBe(true)
})

test.each(['93.184.216.34', '172.32.0.1', '2606:4700::1111', '::ffff:93.184.216.34'])(
  'the address %s is outside, and may be fetched',
  (address) => {
    expect(isInnerAddress(address)).toBe(false)
  },
)

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
