import { expect, test } from 'vitest'
import { z } from 'zod'
import { tool, type StepLoopOptions } from '@steploop/core'
import { scriptedAdapter } from '@steploop/core/testing'
import type { MakeWholeLoop } from '../loop.ts'
import { call, throws } from './parts.ts'

export function testOwnData(makeLoop: MakeWholeLoop): void {
  class Account {
    balance = 0
  }

  async function play(options: Partial<StepLoopOptions>, inputs: readonly Record<string, unknown>[]) {
    const script = [inputs.map((input) => call('send', input)), 'done']
    return makeLoop({ model: scriptedAdapter(script), maxToolConcurrency: 1, ...options }).generate('x')
  }

  test('what a schema made is judged as the class that runs', async () => {
    const send = tool({
      inputSchema: z.object({ sql: z.string().transform((text) => Buffer.from(text, 'base64')) }),
      needsApproval: ({ sql }) => sql.toString().includes('DROP'),
      execute: () => 'ran',
    })
    const { status } = await play({ tools: { send } }, [{ sql: Buffer.from('DROP TABLE users').toString('base64') }])
    expect(status).toBe('requires-action')
  })

  test('what a schema made without a prototype is judged without one', async () => {
    const send = tool({
      inputSchema: z.looseObject({}).transform((input) => Object.assign(Object.create(null) as object, input)),
      needsApproval: (options) => 'constructor' in options,
      execute: () => 'ran',
    })
    expect((await play({ tools: { send } }, [{ to: 'me' }])).status).toBe('completed')
  })

  test.each<[string, () => object]>([
    [
      'an object',
      () => {
        const made: Record<string, unknown> = {}
        return (made['self'] = made)
      },
    ],
    [
      'a list',
      () => {
        const made: unknown[] = []
        made.push(made)
        return made
      },
    ],
    [
      'a map',
      () => {
        const made = new Map<string, unknown>()
        return made.set('self', made)
      },
    ],
    [
      'a set',
      () => {
        const made = new Set<unknown>()
        return made.add(made)
      },
    ],
  ])('what a schema made may be %s that holds itself, and is judged as such', async (_what, make) => {
    const send = tool({
      inputSchema: z.looseObject({}).transform(() => ({ made: make() })),
      needsApproval: ({ made }) => {
        const [first] = made instanceof Map || made instanceof Set ? made.values() : Object.values(made)
        return first !== made
      },
      execute: () => 'ran',
    })
    const { toolResults } = await play({ tools: { send } }, [{}])
    expect(toolResults[0]?.output.value).toBe('ran')
  })

  test('what a schema made is each call’s own, although the schema gives the same default to all', async () => {
    const ran: unknown[] = []
    const send = tool({
      inputSchema: z.object({ options: z.object({ to: z.array(z.string()) }).default({ to: [] }) }),
      needsApproval: ({ options }) => options.to.length > 0,
      execute: ({ options }) => {
        ran.push(structuredClone(options))
        options.to.push('boss@example.com')
      },
    })
    await play({ tools: { send } }, [{}, {}])
    expect(ran).toEqual([{ to: [] }, { to: [] }])
  })

  test.each<[string, Partial<StepLoopOptions>]>([
    ['onToolStart', { onToolStart: () => undefined }],
    ['onToolExecuted', { onToolExecuted: () => undefined }],
    ['denyCall', { denyCall: () => undefined }],
  ])('what a schema made may be an instance that nobody can copy, with `%s` too', async (_name, options) => {
    const lazy = tool({
      inputSchema: z
        .object({})
        .transform(() =>
          Object.defineProperty(new Account(), 'lazy', { enumerable: true, get: throws(new Error('lazy')) }),
        ),
      execute: (account) => ++account.balance,
    })
    const { toolResults } = await play({ tools: { send: lazy }, ...options }, [{}, {}])
    expect(toolResults.map(({ output }) => output.value)).toEqual([1, 1])
  })
}
