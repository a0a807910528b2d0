import { expect, test } from 'vitest'
import { z } from 'zod'
import { tool, type StepLoopOptions, type ToolAnswer } from '@steploop/core'
import { scriptedAdapter, type ScriptedTurn } from '@steploop/core/testing'
import type { MakeWholeLoop } from '../loop.ts'
import { stored } from '../scenario.ts'
import { call, failing } from './parts.ts'

export function testKeptConversations(makeLoop: MakeWholeLoop): void {
  // What a provider keeps is not sent again: behind its response, or behind a conversation that the caller names.

  const ask = tool({ inputSchema: z.object({}) })
  const look = tool({ inputSchema: z.object({}), execute: () => 'seen' })
  const providerOptions = { scripted: { previous_response_id: 'r' } }
  const capabilities = { tools: true, continuation: true } as const
  const turn = (responseId: string, ...parts: ReturnType<typeof call>[]) => ({ parts, responseId })

  function loopOf(script: readonly ScriptedTurn[], options: Partial<StepLoopOptions> = {}) {
    const model = scriptedAdapter(script, { capabilities })
    const knowing = () => model.requests.map(({ request: { continuation } }) => continuation)
    return { model, knowing, loop: makeLoop({ model, tools: { ask, look }, ...options }) }
  }

  const answer = { type: 'tool-result', toolCallId: 'c', toolName: '', output: { type: 'json', value: 1 } }
  const answered = { role: 'tool', content: [answer] }

  test('a prompt follows the answers to calls of a conversation that the provider keeps', async () => {
    const { model, loop } = loopOf(['done'], { providerOptions })
    await loop.generate({ toolOutputs: { c: { output: 1 } }, prompt: 'And?' })
    expect(model.requests[0]?.request.messages).toEqual([answered, { role: 'user', content: 'And?' }])
  })

  test.each<[string, ScriptedTurn, { prompt?: string; toolOutputs?: Readonly<Record<string, ToolAnswer>> }]>([
    ['that is over', 'done', { prompt: 'And?' }],
    ['that waits', [call('ask', {}, 'a')], { toolOutputs: { a: { output: 1 } } }],
  ])('a transcript %s may begin with answers while its conversation is named', async (_what, first, next) => {
    const { model, loop } = loopOf([first, 'done'])
    const begun = await loop.generate({ toolOutputs: { c: { output: 1 } } }, { providerOptions })
    const transcript = stored(begun.transcript)
    const { warnings } = await loop.generate({ transcript, ...next }, { providerOptions })
    expect([warnings, model.requests[1]?.request.messages[0]]).toEqual([[], answered])
    const words = 'messages[0] has a result for'
    await expect(loop.generate({ transcript, ...next })).rejects.toThrow(failing('invalid-transcript', words))
  })

  test('a transcript may begin with answers while it goes on from its response', async () => {
    const { knowing, loop } = loopOf([turn('1', call('ask', {}, 'a')), 'done'])
    const { transcript } = await loop.generate({ toolOutputs: { c: { output: 1 } } }, { providerOptions })
    const { warnings } = await loop.generate({ transcript, toolOutputs: { a: { output: 1 } } })
    expect([warnings, knowing()[1]]).toEqual([[], { responseId: '1', from: 2 }])
  })

  test('a run goes on from the last response, whatever came after it', async () => {
    const waits = turn('3', call('ask', {}, 'a'), call('look'))
    const { knowing, loop } = loopOf([turn('1', call('look')), turn('2', call('look')), waits, 'done'])
    // Both end with results: of calls that were refused, and of one beside a call that waits.
    const limited = await loop.generate('x', { maxSteps: 1, onLimit: 'incomplete' })
    const waiting = await loop.generate(stored(limited.transcript))
    await loop.generate({ transcript: stored(waiting.transcript), toolOutputs: { a: { output: 1 } } })
    const known = [1, 2, 3].map((turns) => ({ responseId: `${turns}`, from: 2 * turns }))
    expect(knowing()).toEqual([undefined, ...known])
  })

  test('messages of an edit may begin with answers while their conversation is named', async () => {
    const messages = [
      { role: 'tool', content: [{ ...answer, type: 'tool-result', output: { type: 'text', value: 'x' } }] },
    ] as const
    const { model, loop } = loopOf(['done', 'done'], { prepareStep: () => ({ messages }) })
    const named = await loop.generate('x', { providerOptions })
    const other = await loop.generate('x', { providerOptions: { another: providerOptions.scripted } })
    expect([named.warnings.length, other.warnings.length]).toEqual([0, 1])
    expect(model.requests.map(({ request }) => request.messages)).toEqual([messages, []])
  })

  test('with continuation off a transcript names no response, and without an id there is none to go on from', async () => {
    const off = loopOf([turn('1', call('ask'))], { continuation: 'off' })
    expect((await off.loop.generate('x')).transcript).not.toHaveProperty('continuation')
    const nameless = loopOf([[call('look')], 'done'])
    expect((await nameless.loop.generate('x')).transcript).not.toHaveProperty('continuation')
    expect(nameless.knowing()).toEqual([undefined, undefined])
  })

  test('a message after a transcript answers none of its calls: a result there is dropped, and told', async () => {
    const { model, loop } = loopOf(['done', 'done'])
    const { transcript } = await loop.generate('x')
    const messages = [
      { role: 'tool', content: [{ ...answer, type: 'tool-result', output: { type: 'text', value: 'x' } }] },
      { role: 'user', content: 'And?' },
    ] as const
    const { warnings } = await loop.generate({ transcript, messages })
    expect(warnings).toMatchObject([{ type: 'repaired', path: 'messages[0]' }])
    expect(model.requests[1]?.request.messages).toEqual([...transcript.messages, messages[1]])
  })
}
