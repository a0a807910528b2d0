import { expect, test } from 'vitest'
import { z } from 'zod'
import { tool, type RunInput, type StepLoopOptions, type Transcript } from '@steploop/core'
import type { MakeWholeLoop } from '../loop.ts'
import { stored } from '../scenario.ts'
import { call, playingWith, failing } from './parts.ts'
import { scriptedAdapter } from '@steploop/core/testing'

export function testHistory(makeLoop: MakeWholeLoop): void {
  const playing = playingWith(makeLoop)

  const write = (value: unknown): undefined => {
    const input = value as { secret?: string; nested?: { deep?: string } }
    input.secret = 'hunter2'
    if (input.nested !== undefined) input.nested.deep = 'hunter2'
  }

  test.each<[string, Partial<StepLoopOptions>]>([
    ['execute', {}],
    ['refineInput', { refineInput: ({ input }) => write(input) }],
    ['denyCall', { denyCall: ({ input }) => write(input) }],
    ['onInvalidInput', { onInvalidInput: ({ input }) => write(input) }],
  ])(
    'what tools, predicates and hooks write to is theirs: %s changes neither history nor what the others get',
    async (what, options) => {
      const got: unknown[] = []
      const save = tool({
        inputSchema: { type: 'object' },
        needsApproval: (input) => {
          write(input)
          return false
        },
        execute: (input) => {
          got.push(stored(input))
          if (what === 'execute') write(input)
        },
      })
      const given = { nested: {} }
      const { loop, model } = playing([[call('save', given)], 'done'], { tools: { save }, ...options })
      const { transcript } = await loop.generate('x')
      expect(JSON.stringify([model.requests[1]?.request.messages, transcript])).not.toContain('hunter2')
      expect(got).toEqual([{ nested: {} }])
    },
  )

  test('what tools, predicates and hooks write to is frozen in the history itself', { tags: ['H12'] }, async () => {
    const save = tool({
      inputSchema: { type: 'object' },
      execute: (_input, { messages }) => void (messages as unknown[]).push({ role: 'user', content: 'hunter2' }),
    })
    const { loop, model } = playing([[call('save')], 'done'], { tools: { save } })
    const messages = [{ role: 'user', content: 'x' }]
    const failed = loop.generate({ messages } as RunInput, {
      onResponse({ response }) {
        const content = (response?.content ?? []) as unknown[]
        content.length = 0
      },
    })
    await expect(failed).rejects.toMatchObject({ code: 'hook-failed' })
    await loop.generate({ messages } as RunInput)
    expect(JSON.stringify(model.requests)).not.toContain('hunter2')
    expect(Object.isFrozen(messages[0])).toBe(false)
  })

  test('what a tool does to `messages` is no other tool’s business', async () => {
    const clears = tool({
      inputSchema: z.object({}),
      execute: (_input, { messages }) => void (messages as unknown[]).splice(0),
    })
    const { loop } = playing([[call('clears')], 'done'], { tools: { clears } })
    expect((await loop.generate('x')).toolResults[0]?.output.value).toMatchObject({ code: 'tool-failed' })
  })

  test.each<[string, Partial<StepLoopOptions>]>([
    ['`prepareStep` gave', { prepareStep: () => ({ messages: 'x' as never }) }],
    ['`prepareStep` gave', { prepareStep: () => ({ messages: [{ role: 'boss', content: 'x' } as never] }) }],
    [
      '`onStepEnd` gave',
      { onStepEnd: () => ({ type: 'continue', messages: [{ role: 'user', content: 7 } as never] }) },
    ],
  ])('messages that are none end the run, with who gave them: %s', async (who, options) => {
    const failed = playing(['a', 'b'], options).loop.generate('x')
    await expect(failed).rejects.toMatchObject({ code: 'invalid-history', message: expect.stringContaining(who) })
  })

  test('messages with one id for several calls leave a transcript that goes on', async () => {
    const history = (id: string) => {
      const common = { toolCallId: id, toolName: 'look' }
      return [
        { role: 'assistant', content: [{ type: 'tool-call', ...common, input: {}, inputText: '{}', owner: 'loop' }] },
        { role: 'tool', content: [{ type: 'tool-result', ...common, output: { type: 'text', value: 'seen' } }] },
      ] as const
    }
    const messages = [{ role: 'user', content: 'x' }, ...history('call_0'), ...history('call_0')] as const
    const { loop } = playing(['a', 'b', 'c'], { tools: {} })
    const first = await loop.generate({ messages })
    expect(first.warnings).toMatchObject([{ type: 'repaired' }])
    const second = await loop.generate({ transcript: stored(first.transcript), messages: history('call_0') })
    expect((await loop.generate({ transcript: second.transcript, prompt: 'y' })).text).toBe('c')
  })

  const messages = [{ role: 'user', content: 'Grüezi' }]

  /** What comes from a file has any type. */
  function run(saved: unknown, script: readonly string[] = ['Hallo.']) {
    const model = scriptedAdapter(script)
    return { model, result: makeLoop({ model }).generate({ transcript: saved as Transcript, prompt: 'Und?' }) }
  }

  test('a stored transcript of version 0 goes on as one of this version, with an id that its conversation decides', async () => {
    const { model, result } = run({ version: 0, messages })
    const { transcript } = await result
    expect(model.requests[0]?.request.messages.map(({ content }) => content)).toEqual(['Grüezi', 'Und?'])
    expect(transcript).toMatchObject({ version: 1, pendingCalls: [] })
    expect((await run({ version: 0, messages }).result).transcript.id).toBe(transcript.id)
    const other = run({ version: 0, messages: [{ role: 'user', content: 'Guete Morge' }] })
    expect((await other.result).transcript.id).not.toBe(transcript.id)
  })

  test('a stored transcript of version 0 is checked like any other after its migration', async () => {
    await expect(run({ version: 0, messages: 'lost' }).result).rejects.toMatchObject({ code: 'invalid-transcript' })
  })

  test.each([2, 1.5, -1, '1', null])(
    'a stored transcript of the unknown version %j is refused with its version',
    async (version) => {
      const { model, result } = run({ version, id: 't', messages, pendingCalls: [] })
      await expect(result).rejects.toThrow(failing('transcript-version', `version ${String(version)}`))
      expect(model.requests).toHaveLength(0)
    },
  )
}
