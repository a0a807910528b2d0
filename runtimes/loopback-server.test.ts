import { startSimulator } from '@steploop/conformance/simulator'
import { expect, test } from 'vitest'
import { corsProxy } from './loopback-server.ts'

test('the proxy hands on what the simulator says, and permits every origin', async () => {
  const simulator = await startSimulator({ wire: 'openai-chat', script: [] })
  const proxy = await corsProxy(new URL(simulator.url).origin)
  try {
    const asked = await fetch(`${proxy.origin}/v1/nowhere`, { method: 'OPTIONS' })
    expect(asked.status).toBe(204)
    expect(asked.headers.get('access-control-allow-headers')).toContain('authorization')
    expect(simulator.requests).toEqual([])

    const answered = await fetch(`${proxy.origin}/v1/nowhere`, { method: 'POST', body: '{"city":"Zürich"}' })
    expect(answered.status).toBe(404)
    expect(answered.headers.get('access-control-allow-origin')).toBe('*')
    expect(await answered.text()).toContain('/v1/nowhere')
    expect(simulator.requests.map(({ path, text }) => ({ path, text }))).toEqual([
      { path: '/v1/nowhere', text: '{"city":"Zürich"}' },
    ])
  } finally {
    proxy.close()
    await simulator.close()
  }
})
