import { expect, test } from 'vitest'
import { z } from 'zod'
import { providerTool, tool } from '@steploop/core'
import { allowTools, denyTools } from '@steploop/core/policies'
import type { MakeWholeLoop } from '../loop.ts'
import { call, playingWith, failing } from './parts.ts'

export function testDeniedCalls(makeLoop: MakeWholeLoop): void {
  const playing = playingWith(makeLoop)

  const shell = providerTool({ provider: 'scripted', name: 'shell', definition: { type: 'shell' } })
  const locate = tool({ inputSchema: z.object({}) })
  const look = tool({ inputSchema: z.object({}), execute: () => 1 })
  const tools = { shell, locate, look }

  test.each([
    ['a client’s tool', [denyTools(['locate'])], 'locate'],
    ['a provider’s tool that the caller runs', [denyTools(['shell'])], 'shell'],
    ['all that is not allowed', [allowTools([])], 'shell'],
    ['a tool that nobody knows', [allowTools(['look'])], 'ghost'],
  ])('denial by a policy is for %s, too', async (_what, policies, name) => {
    const { loop } = playing([[call(name)], 'done'], { tools, policies })
    const { status, toolResults } = await loop.generate('x')
    expect([status, toolResults[0]?.output.value]).toMatchObject(['completed', { code: 'denied' }])
  })

  test('denial of what the provider would run itself is not to offer it', async () => {
    const { loop, model } = playing(['done', 'done'], { tools, policies: [denyTools(['shell'])] })
    await loop.generate('x')
    await loop.generate('x', { prepareStep: () => ({ activeTools: ['shell', 'look'] }) })
    const offered = model.requests.map(({ request }) => request.tools?.map((definition) => definition.name))
    expect(offered).toEqual([['locate', 'look'], ['look']])
  })

  test.each(['web', 'web_search'])('denial of a provider’s tool goes by its key or its own name: %s', async (name) => {
    const web = providerTool({ provider: 'scripted', name: 'web_search', definition: { type: 'web' } })
    const { loop, model } = playing(['done'], { tools: { web, look }, policies: [denyTools([name])] })
    await loop.generate('x')
    expect(model.requests[0]?.request.tools?.map((definition) => definition.name)).toEqual(['look'])
  })

  test('denial sees the input that is about to run, once, and may take its time', async () => {
    const seen: unknown[] = []
    const pay = tool({
      inputSchema: z.object({ amount: z.number().default(9) }),
      needsApproval: true,
      execute: () => 1,
    })
    const { loop } = playing([[call('pay')], 'done'], {
      tools: { pay },
      denyCall: async ({ input }) => {
        seen.push(input)
        await Promise.resolve()
        return (input as { amount: number }).amount > 10 ? 'too much' : undefined
      },
    })
    const { transcript } = await loop.generate('x')
    const edited = { approved: true, input: { amount: 50 } } as const
    const { toolResults } = await loop.generate({ transcript, toolOutputs: { '*': edited } })
    expect(seen).toEqual([{ amount: 9 }, { amount: 50 }])
    expect(toolResults[0]?.output.value).toMatchObject({ code: 'denied', message: 'too much' })
  })

  test.each([null, false, 0, ''])('denial is whatever is not undefined: %j', async (said) => {
    const { loop } = playing([[call('look')], 'done'], { tools, denyCall: () => said as unknown as string })
    expect((await loop.generate('x')).toolResults[0]?.output.value).toMatchObject({ code: 'denied' })
  })

  test('denial that fails is a failed hook, and nothing ran', async () => {
    const denyCall = (): Promise<string> => Promise.reject(new Error('no directory'))
    const failed = playing([[call('look')]], { tools, denyCall }).loop.generate('x')
    await expect(failed).rejects.toThrow(failing('hook-failed', '`denyCall`'))
  })
}
