import { expect, test } from 'vitest'
import { z } from 'zod'
import { tool, type StepLoopOptions } from '@steploop/core'
import { scriptedAdapter } from '@steploop/core/testing'
import type { MakeWholeLoop } from '../loop.ts'

export function testOwnData(makeLoop: MakeWholeLoop): void {
  class Account {
    balance = 0
  }

  const call = (toolName: string, input: Record<string, unknown> = {}) => ({ type: 'call', toolName, input }) as const

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
        .transform(() => Object.defineProperty(new Account(), 'lazy', { enumerable: true, get: () => fail() })),
      execute: (account) => ++account.balance,
    })
    const { toolResults } = await play({ tools: { send: lazy }, ...options }, [{}, {}])
    expect(toolResults.map(({ output }) => output.value)).toEqual([1, 1])
  })

  function fail(): never {
    throw new Error('lazy')
  }
}
