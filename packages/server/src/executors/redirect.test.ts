import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test, vi } from 'vitest'
import { guardedFetch } from './guarded-fetch.ts'

const origin = vi.hoisted(() => ({ port: 0 }))

/** Stands for a host outside: what goes to its name arrives here. */
vi.mock(import('node:https'), async (load) => {
  const real = await load()
  const { request: plain } = await import('node:http')
  const request = (url: URL, { method, headers }: object & { method?: string; headers?: object }, done: () => void) =>
    plain(`http://127.0.0.1:${origin.port}${url.pathname}`, { method, headers: { ...headers } }, done)
  return { ...real, request: request as typeof real.request }
})

test.each([301, 302, 303, 307, 308])(
  'a redirect with %i is not followed, and nothing of it is given on',
  async (status) => {
    const asked: string[] = []
    const server = createServer(({ url = '' }, response) => {
      asked.push(url)
      if (url === '/mcp') response.writeHead(status, { location: 'http://169.254.169.254/latest' })
      response.end('x')
    }).listen(0, '127.0.0.1')
    onTestFinished(() => void server.close())
    await once(server, 'listening')
    origin.port = (server.address() as AddressInfo).port
    const ask = guardedFetch({ hosts: ['allowed.example'] })
    await expect(ask('https://allowed.example/mcp', { redirect: 'follow' })).rejects.toThrow('redirects')
    expect(await (await ask('https://allowed.example/other')).text()).toBe('x')
    expect(asked).toEqual(['/mcp', '/other'])
  },
)
