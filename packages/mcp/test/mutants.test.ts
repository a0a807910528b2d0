/** What must not happen, done on purpose: each mutant has to be noticed by the check that the package itself passes. */
import type { Transport } from '@modelcontextprotocol/client'
import { connectMcp } from '@steploop/mcp'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { connectFake, connectScript, fakeTransport, play, type FakeServer } from './testing.ts'

type Mutant =
  | 'none'
  | 'order by arrival'
  | '`isError` taken for success'
  | 'pin not compared'
  | 'retry after a lost connection'

const state = vi.hoisted(() => ({ mutant: 'none' as string }))

vi.mock('../src/call-tool.ts', async (load) => {
  const real = await load<typeof import('../src/call-tool.ts')>()
  const waiting: ((output: Awaited<ReturnType<ReturnType<typeof real.createCaller>>>) => void)[] = []
  const createCaller: typeof real.createCaller = (options) => {
    const call = real.createCaller(options)
    return async (input, context) => {
      if (state.mutant === 'order by arrival') {
        const mine = new Promise<Awaited<ReturnType<typeof call>>>((resolve) => void waiting.push(resolve))
        void call(input, context).then((output) => waiting.shift()?.(output))
        return mine
      }
      const output = await call(input, context)
      const isLost = output.type === 'error' && output.value.message.includes('was lost')
      return isLost && state.mutant === 'retry after a lost connection' ? call(input, context) : output
    }
  }
  return { ...real, createCaller }
})

vi.mock('../src/map-result.ts', async (load) => {
  const real = await load<typeof import('../src/map-result.ts')>()
  const mapResult: typeof real.mapResult = ({ isError, ...result }, options) =>
    real.mapResult(state.mutant === '`isError` taken for success' ? result : { ...result, isError }, options)
  return { ...real, mapResult }
})

vi.mock('../src/make-tools.ts', async (load) => {
  const real = await load<typeof import('../src/make-tools.ts')>()
  const makeTools: typeof real.makeTools = (definitions, { options, ...rest }) =>
    real.makeTools(definitions, {
      ...rest,
      options: state.mutant === 'pin not compared' ? { ...options, pins: undefined } : options,
    })
  return { ...real, makeTools }
})

/** Each gives what is wrong. */
const checks: Readonly<Record<Exclude<Mutant, 'none'>, () => Promise<readonly string[]>>> = {
  async 'order by arrival'() {
    const server = await connectScript('faulty-server')
    const turn = [300, 1].map((ms) => ({ toolName: 'late', input: { ms } }))
    const values = (await play(await server.tools(), [turn])).outputs.map(({ value }) => value)
    return JSON.stringify(values) === '["late 300","late 1"]' ? [] : [`the results are ${JSON.stringify(values)}`]
  },
  async '`isError` taken for success'() {
    const server = await connectScript('faulty-server')
    const [output] = (await play(await server.tools(), [[{ toolName: 'fails' }]])).outputs
    return output?.type === 'error' ? [] : [`a failure is ${output?.type}`]
  },
  async 'pin not compared'() {
    const connection = await connectFake(
      { tools: [{ name: 'a', inputSchema: { type: 'object' } }] },
      { pins: { a: 'another' } },
    )
    const names = Object.keys(await connection.tools())
    return names.map((name) => `${name} is there`)
  },
  async 'retry after a lost connection'() {
    let sent = 0
    const lose = (): FakeServer => ({
      tools: [{ name: 'die', inputSchema: { type: 'object' } }],
      call() {
        sent++
        void transports.at(-1)?.close()
        return new Promise(() => undefined)
      },
    })
    const transports: Transport[] = []
    const open = (): Transport => (transports.push(fakeTransport(lose())), transports.at(-1)!)
    const connection = await connectMcp({ transport: open }, { approve: 'never' })
    await play(await connection.tools(), [[{ toolName: 'die' }]])
    return sent === 1 ? [] : [`the lost call was sent ${sent} times`]
  },
}

afterEach(() => {
  state.mutant = 'none'
})

describe.each(Object.entries(checks))('%s', (mutant, check) => {
  test('the fault does not happen as the code is', async () => {
    expect(await check()).toEqual([])
  })

  test('the fault would be noticed in the broken code', async () => {
    state.mutant = mutant
    expect(await check()).not.toEqual([])
  })
})
