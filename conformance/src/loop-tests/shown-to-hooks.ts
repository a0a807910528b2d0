import { expect, test } from 'vitest'
import { z } from 'zod'
import { tool, type Hooks, type LoopControl, type LoopEvent, type Message, type StepLoopOptions } from '@steploop/core'
import { scriptedAdapter, type ScriptedTurn } from '@steploop/core/testing'
import type { MakeWholeLoop } from '../loop.ts'
import { call, failing } from './parts.ts'

export function testShownToHooks(makeLoop: MakeWholeLoop): void {
  const ask = tool({ inputSchema: z.object({}) })
  const look = tool({ inputSchema: z.object({}), execute: () => 'seen' })

  function play(options: Partial<StepLoopOptions>, script: readonly ScriptedTurn[] = [[call('look')], 'done']) {
    const model = scriptedAdapter(script)
    return { model, loop: makeLoop({ model, tools: { look, ask }, instructions: 'Be brief.', ...options }) }
  }

  /** Code without types writes to what it is shown. */
  const empties = (...lists: readonly (readonly unknown[])[]): undefined => {
    for (const list of lists) (list as unknown[]).length = 0
    return undefined
  }

  test.each<[string, Partial<StepLoopOptions>]>([
    ['prepareStep', { prepareStep: ({ messages, steps }) => empties(messages, steps) }],
    ['onStepEnd', { onStepEnd: ({ messages, steps }) => empties(messages, steps) }],
    ['onStepEnd, in the transcript', { onStepEnd: ({ transcript }) => empties(transcript.messages) }],
  ])('what `%s` does to its lists does nothing to the run', async (_name, options) => {
    const { steps, transcript } = await play(options).loop.generate('x')
    expect([steps.length, transcript.messages.length]).toEqual([2, 4])
  })

  test('hooks see what the model was asked with', async () => {
    const seen: unknown[] = []
    const note: Hooks['onStepEnd'] = ({ request }) => void seen.push(request?.instructions)
    await play({ onResponse: note, onStepEnd: note, onToolStart: note, onToolExecuted: note }).loop.generate('x')
    expect(seen).toEqual(Array.from({ length: 6 }, () => 'Be brief.'))
  })

  test('hooks are told of a step that is to call nothing, whoever wants that', async () => {
    const edited: Partial<StepLoopOptions> = { prepareStep: () => ({ toolChoice: 'none' }) }
    for (const options of [{ maxSteps: 0 }, edited]) {
      const seen: unknown[] = []
      await play({ ...options, onStepStart: ({ finalizing }) => void seen.push(finalizing) }, ['done']).loop.generate(
        'x',
      )
      expect(seen).toEqual([true])
    }
  })

  test('`prepareStep` sees the instructions, and is named when it fails', async () => {
    const prepareStep: StepLoopOptions['prepareStep'] = ({ instructions }) => {
      throw new Error(String(instructions))
    }
    const words = '`prepareStep` failed in step 0: Be brief.'
    await expect(play({ prepareStep }).loop.generate('x')).rejects.toThrow(failing('hook-failed', words))
  })

  test.each<[keyof Hooks, unknown, string]>([
    ['onStepEnd', { type: 'answer', output: 1 }, 'answer'],
    ['onStepEnd', { type: 'override' }, 'override'],
    ['onStepEnd', 5, 'it returned 5. Return nothing, { type:'],
    ['onToolStart', { type: 'reply', output: 1 }, "{ type: 'answer', output }"],
  ])('a hook that returns none of its words is refused: %s, %j', async (name, control, words) => {
    const { loop } = play({ [name]: () => control })
    await expect(loop.generate('x')).rejects.toThrow(failing('hook-failed', words))
  })

  const said: Message = { role: 'user', content: 'And?' }
  const more: LoopControl = { type: 'continue', messages: [said] }

  test.each(['onToolExecuted', 'onResponse', 'onToolStart'] as const)(
    'only a step that is over can be followed by messages, so those of `%s` are not taken',
    async (name) => {
      const { text, transcript } = await play({ [name]: () => more }).loop.generate('x')
      expect(text).toBe('done')
      expect(transcript.messages).not.toContainEqual(said)
    },
  )

  test('answers that a hook lets the run go on from are no repeated calls, however many', async () => {
    const onStepEnd = ({ step }: { readonly step: number }) => (step < 8 ? more : undefined)
    const { stopReason } = await play(
      { onStepEnd },
      Array.from({ length: 9 }, () => 'done'),
    ).loop.generate('x')
    expect(stopReason).toBe('answer')
  })

  test('a step that waits for its caller is not followed by messages of a hook', async () => {
    const { status, transcript } = await play({ onStepEnd: () => more }, [[call('ask')]]).loop.generate('x')
    expect([status, transcript.messages.length]).toEqual(['requires-action', 2])
  })

  test('messages of a hook are made legal: a call with a taken id gets its own, a result without a call is told', async () => {
    const result = {
      type: 'tool-result',
      toolCallId: 'z',
      toolName: 'look',
      output: { type: 'text', value: '' },
    } as const
    const asked = { toolCallId: 'c', toolName: 'look', input: {}, inputText: '{}', owner: 'loop' } as const
    const again = { type: 'tool-call', ...asked } as const
    const messages: readonly Message[] = [
      { role: 'tool', content: [result] },
      { role: 'assistant', content: [again] },
      { role: 'tool', content: [{ ...result, toolCallId: 'c' }] },
      said,
    ]
    const onStepEnd: Hooks['onStepEnd'] = ({ steps }) =>
      steps.length === 1 ? { type: 'continue', messages } : undefined
    const { loop } = play({ onStepEnd }, [[call('look', {}, 'c')], [call('look', {}, 'c_2')], 'done'])
    const run = await loop.generate('x')
    const ids = run.transcript.messages.flatMap((message) =>
      message.role === 'tool' ? message.content.map(({ toolCallId }) => toolCallId) : [],
    )
    expect([ids.length, new Set(ids).size]).toEqual([3, 3])
    expect(run.warnings.map(({ message }) => message)).toContainEqual("a result without a call ('z') was dropped")
  })

  test('an override is a text in its message, and the next part of the answer of its step', async () => {
    const onStepEnd: Hooks['onStepEnd'] = ({ steps }) =>
      steps.length === 2 ? { type: 'override', response: 'mine' } : undefined
    const text = { type: 'text', text: 'Hm.' } as const
    const stream = play({ onStepEnd }, [[call('look')], [{ ...text, type: 'reasoning' }, text]]).loop.stream('x')
    const events: LoopEvent[] = []
    for await (const event of stream) events.push(event)
    const last = (await stream.result).transcript.messages.at(-1)
    expect(last).toMatchObject({ role: 'assistant', content: [{ type: 'text', text: 'mine' }] })
    expect(events.findLast(({ type }) => type === 'text-delta')).toMatchObject({ part: 2, text: 'mine' })
  })

  test('a warning is told once, however many steps repeat it', async () => {
    const result = {
      type: 'tool-result',
      toolCallId: 'z',
      toolName: 'look',
      output: { type: 'text', value: '' },
    } as const
    const messages: readonly Message[] = [said, { role: 'tool', content: [result] }]
    const stream = play({ prepareStep: () => ({ messages }) }).loop.stream('x')
    const told: unknown[] = []
    for await (const event of stream) if (event.type === 'warning') told.push(event.warning)
    const message = "a result without a call ('z') was dropped"
    expect(told).toEqual([{ type: 'repaired', path: 'messages[1]', message }])
    expect((await stream.result).warnings).toEqual(told)
  })

  test('a call gets an id of its own beside those of the messages that `prepareStep` gave', async () => {
    const asked = { toolCallId: 'c', toolName: 'look', input: {}, inputText: '{}', owner: 'loop' } as const
    const output = { type: 'text', value: '' } as const
    const messages: readonly Message[] = [
      said,
      { role: 'assistant', content: [{ type: 'tool-call', ...asked }] },
      { role: 'tool', content: [{ type: 'tool-result', toolCallId: 'c', toolName: 'look', output }] },
    ]
    const prepareStep: StepLoopOptions['prepareStep'] = ({ step }) => (step === 1 ? { messages } : undefined)
    const { loop } = play({ prepareStep }, [[call('look', {}, 'a')], [call('look', {}, 'c')], 'done'])
    expect((await loop.generate('x')).toolCalls.map(({ toolCallId }) => toolCallId)).toEqual(['a', 'c_2'])
  })

  test('an approved call, and its hooks, are shown the conversation that it comes from', async () => {
    const seen: unknown[] = []
    const pay = tool({
      inputSchema: z.object({}),
      needsApproval: true,
      execute: (_input, { messages }) => void seen.push(messages.map(({ role }) => role)),
    })
    const onToolExecuted: Hooks['onToolExecuted'] = ({ response }) => void seen.push(response)
    const { loop } = play({ tools: { pay }, onToolExecuted }, [[call('pay')], 'done'])
    const { transcript } = await loop.generate('x')
    await loop.generate({ transcript, toolOutputs: { '*': { approved: true } } })
    expect(seen).toEqual([['user', 'assistant'], transcript.messages[1]])
  })
}
