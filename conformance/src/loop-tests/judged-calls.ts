import { expect, test } from 'vitest'
import { z } from 'zod'
import {
  providerTool,
  toServerSentEvents,
  tool,
  type StepLoopOptions,
  type ToolContext,
  type Transcript,
} from '@steploop/core'
import { fakeClock, scriptedAdapter, type ScriptedTurn } from '@steploop/core/testing'
import type { MakeWholeLoop } from '../loop.ts'
import { stored } from '../scenario.ts'
import { call, failureOf, hang, hasty, idle, throws } from './parts.ts'

export function testJudgedCalls(makeLoop: MakeWholeLoop): void {
  // Predicates, policies and hooks that fail, hang or are aborted while they judge the calls of a turn.

  const fails = throws(new Error('broken'))
  const inputSchema = z.object({ n: z.number().default(7) })
  const look = tool({ inputSchema, execute: () => 'seen' })
  const locate = tool({ inputSchema })
  const paying = (ran: unknown[] = []) =>
    tool({ inputSchema, needsApproval: true, execute: (input) => (ran.push(input), 'paid') })
  const tools = { look, locate, pay: paying() }

  function playing(script: readonly ScriptedTurn[], options: Partial<StepLoopOptions>) {
    const ran: unknown[] = []
    const model = scriptedAdapter(script)
    return { model, ran, loop: makeLoop({ model, tools: { ...tools, pay: paying(ran) }, ...options }) }
  }

  async function failed(run: Promise<unknown>) {
    const { code, transcript } = await failureOf(run)
    return { code, transcript: transcript! }
  }

  const turn = [call('locate'), call('look'), call('pay'), call('locate', { n: 1 })]
  const failsFor = (name: string): StepLoopOptions['denyCall'] => {
    let left = 1
    return ({ toolName }) => {
      if (toolName === name && left-- > 0) throw new Error('no directory')
      return undefined
    }
  }

  test.each(['locate', 'look', 'pay'])(
    'a judge that fails on a call of %s leaves open what waits for the caller in its turn',
    async (name) => {
      const { loop, ran } = playing([turn, 'done'], { denyCall: failsFor(name) })
      const { code, transcript } = await failed(loop.generate('x'))
      const open = transcript.pendingCalls.map(({ toolName, input, reason }) => [toolName, input, reason])
      expect([code, open]).toEqual([
        'hook-failed',
        [
          ['locate', { n: 7 }, 'client-tool'],
          ['pay', { n: 7 }, 'approval'],
          ['locate', { n: 1 }, 'client-tool'],
        ],
      ])
      const ids = transcript.pendingCalls.map(({ toolCallId }) => toolCallId)
      const [first = '', approval = '', last = ''] = ids
      const toolOutputs = {
        [first]: { output: 'here' },
        [approval]: { approved: true },
        [last]: { output: 'there' },
      } as const
      const { status, toolResults } = await loop.generate({ transcript: stored(transcript), toolOutputs })
      expect([status, ran]).toEqual(['completed', [{ n: 7 }]])
      const values = toolResults.filter(({ toolName }) => toolName !== 'look').map(({ output }) => output.value)
      expect(values).toEqual(['here', 'paid', 'there'])
    },
  )

  test('a judge that fails is asked about what it has not judged before an answer counts', async () => {
    let broken = true
    const judged: unknown[] = []
    const { loop } = playing([[call('look'), call('locate'), call('locate', { n: 1 })], 'done'], {
      denyCall({ toolName, input }) {
        if (broken) throw new Error('no directory')
        judged.push([toolName, input])
        return (input as { n: number }).n === 1 ? 'not there' : undefined
      },
    })
    const { transcript } = await failed(loop.generate('x'))
    broken = false
    const [first = '', last = ''] = transcript.pendingCalls.map(({ toolCallId }) => toolCallId)
    const again = await loop.generate({
      transcript: stored(transcript),
      toolOutputs: { [last]: { output: 'there' } },
    })
    expect(again.transcript.pendingCalls.map(({ toolCallId }) => toolCallId)).toEqual([first])
    expect(again.toolResults.at(-1)?.output.value).toMatchObject({ code: 'denied', message: 'not there' })
    await loop.generate({ transcript: again.transcript, toolOutputs: { [first]: { output: 'here' } } })
    expect(judged).toEqual([
      ['locate', { n: 7 }],
      ['locate', { n: 1 }],
    ])
  })

  test('a judge that fails keeps what it had decided by then', async () => {
    const { loop } = playing([[call('locate', { n: 1 }), call('look'), call('ghost')]], {
      denyCall({ input }) {
        if ((input as { n: number }).n === 1) return 'not there'
        throw new Error('no directory')
      },
    })
    const { transcript } = await failed(loop.generate('x'))
    expect(transcript.pendingCalls).toEqual([])
  })

  test('a judge that fails of a structured answer leaves open what came with it', async () => {
    const output = { schema: z.object({ a: z.string() }), maxRepairs: 0 }
    const both = [call('locate'), call('output_structured_data', { a: 1 })]
    const model = scriptedAdapter([both], { capabilities: { tools: true, toolChoice: ['required'] } })
    const { code, transcript } = await failed(makeLoop({ model, tools, output, onResponse: fails }).generate('x'))
    expect([code, transcript.pendingCalls.map(({ toolName }) => toolName)]).toEqual(['hook-failed', ['locate']])
  })

  test.each<[string, Partial<StepLoopOptions>]>([
    ['`onResponse`', { onResponse: fails }],
    ['`costOf`', { maxCost: 1, costOf: fails }],
  ])('a judge that fails that has seen none of its calls, as %s, leaves them open', async (_what, options) => {
    const { loop } = playing([{ parts: turn, usage: { inputTokens: 1, outputTokens: 1 } }], options)
    const { transcript } = await failed(loop.generate('x'))
    expect(transcript.pendingCalls.map(({ toolName }) => toolName)).toEqual(['locate', 'pay', 'locate'])
  })

  test('a judge that fails of a tool that only an edit had offered leaves it open, and it runs once it is approved', async () => {
    const edited = { activeTools: ['look'], prepareStep: () => ({ activeTools: ['pay'] }) }
    const { transcript } = await failed(playing([[call('pay')]], { ...edited, onResponse: fails }).loop.generate('x'))
    const { loop, ran } = playing(['done'], { activeTools: ['look'] })
    const shown = await loop.generate(stored(transcript))
    await loop.generate({ transcript: stored(shown.transcript), toolOutputs: { '*': { approved: true } } })
    expect(ran).toEqual([{ n: 7 }])
  })

  test('a judge that fails leaves nothing open that was not to run anyway', async () => {
    const filtered = { parts: turn, finishReason: 'content-filter' } as const
    const filteredOut = await failed(playing([filtered], { onResponse: fails }).loop.generate('x'))
    const limited = await failed(playing([turn], { onResponse: fails, maxSteps: 0 }).loop.generate('x'))
    expect([filteredOut.transcript.pendingCalls, limited.transcript.pendingCalls]).toEqual([[], []])
  })

  test('a page is told of no call that nobody has judged', async () => {
    const { loop } = playing([[call('look'), call('locate'), call('locate', { n: 1 })]], {
      denyCall: ({ toolName, input }) =>
        toolName === 'look' || (input as { n: number }).n === 1 ? fails() : undefined,
    })
    const decoder = new TextDecoder()
    const lines: string[] = []
    for await (const bytes of toServerSentEvents(loop.stream('x'))) {
      lines.push(
        ...decoder
          .decode(bytes)
          .split('\n')
          .filter((line) => line.includes('"done"')),
      )
    }
    const { pendingCalls } = JSON.parse(lines[0]?.slice('data: '.length) ?? '') as { pendingCalls: unknown }
    expect(pendingCalls).toMatchObject([{ name: 'locate', arguments: '{"n":7}' }])
  })

  test.each<[string, Partial<StepLoopOptions>]>([
    ['`denyCall`', { denyCall: hang }],
    ['`refineInput`', { refineInput: hang }],
    ['`needsApproval`', { tools: { ...tools, look: { ...look, needsApproval: hang } } }],
  ])('an abort, while calls are judged, by %s leaves open what waits for the caller', async (_what, options) => {
    const { loop } = playing([[call('look'), call('locate'), call('pay')]], { toolTimeout: 0, ...options })
    const controller = new AbortController()
    const failure = failed(loop.generate('x', { abortSignal: controller.signal }))
    setTimeout(() => controller.abort(), 5)
    const { code, transcript } = await failure
    const asked = options.tools === undefined ? [] : ['look']
    expect([code, transcript.pendingCalls.map(({ toolName }) => toolName)]).toEqual([
      'aborted',
      [...asked, 'locate', 'pay'],
    ])
    const { loop: resumed, ran } = playing(['done'], {})
    const [approval] = transcript.pendingCalls.filter(({ toolName }) => toolName === 'pay')
    const toolOutputs = { [approval?.toolCallId ?? '']: { approved: true } } as const
    const { pendingCalls } = (await resumed.generate({ transcript: stored(transcript), toolOutputs })).transcript
    // What nobody had made ready for `execute` is shown before it runs.
    const shown = pendingCalls.findLast(({ toolName }) => toolName === 'pay')?.input
    expect([ran, shown]).toEqual(options.refineInput === undefined ? [[{ n: 7 }], undefined] : [[], { n: 7 }])
  })

  test('an abort by a judge itself is the last that is asked about the calls of a turn', async () => {
    const controller = new AbortController()
    const asked: unknown[] = []
    const needsApproval = (input: unknown) => (asked.push(input), controller.abort(), false)
    const { loop } = playing([[call('look', { n: 1 }), call('look', { n: 2 })]], {
      tools: { look: { ...look, needsApproval } },
    })
    const { code } = await failed(loop.generate('x', { abortSignal: controller.signal }))
    expect([code, asked]).toEqual(['aborted', [{ n: 1 }]])
  })

  test('an abort by a judge itself leaves open what waits for the caller', async () => {
    const aborting = (aborts: () => void): readonly Partial<StepLoopOptions>[] => [
      { denyCall: () => aborts() as undefined },
      { tools: { ...tools, look: { ...look, needsApproval: () => (aborts(), false) } } },
    ]
    for (const at of [0, 1]) {
      const controller = new AbortController()
      const { loop } = playing(
        [[call('look'), call('locate'), call('pay')]],
        aborting(() => controller.abort())[at] ?? {},
      )
      const { code, transcript } = await failed(loop.generate('x', { abortSignal: controller.signal }))
      expect([code, transcript.pendingCalls.map(({ toolName }) => toolName)]).toEqual(['aborted', ['locate', 'pay']])
    }
  })

  const timed = async (options: Partial<StepLoopOptions>, ms = 1000) => {
    const clock = fakeClock()
    const { loop } = playing([[call('look'), call('locate')], 'done'], { clock, toolTimeout: ms, ...options })
    const running = loop.generate('x')
    for (let round = 0; round < 40; round++) await Promise.resolve().then(() => clock.advance(round > 20 ? ms : 0))
    const result = await running
    expect(clock.open).toBe(0)
    return result
  }
  const codeOf = ({ toolResults }: Awaited<ReturnType<typeof timed>>) =>
    toolResults.map(({ toolName, output }) => [toolName, output.type === 'error' ? output.value.code : output.value])

  test('a judge that never answers: `denyCall`: the call is answered `tool-timeout`', async () => {
    const result = await timed({ denyCall: ({ toolName }) => (toolName === 'look' ? hang() : undefined) })
    expect(codeOf(result)).toEqual([['look', 'tool-timeout']])
    const message = "Nobody decided within 1000 ms whether 'look' may run, so it was not run."
    expect(result.toolResults[0]?.output.value).toMatchObject({ message })
    expect(result.transcript.pendingCalls.map(({ toolName }) => toolName)).toEqual(['locate'])
  })

  test('a judge that never answers: `needsApproval`: a person is asked', async () => {
    const result = await timed({ tools: { ...tools, look: { ...look, needsApproval: hang } } })
    expect(result.transcript.pendingCalls.map(({ toolName, reason }) => [toolName, reason])).toEqual([
      ['look', 'approval'],
      ['locate', 'client-tool'],
    ])
  })

  test('a judge that never answers: `refineInput`: the call is answered `tool-timeout`', async () => {
    expect(codeOf(await timed({ refineInput: hang }))).toEqual([
      ['look', 'tool-timeout'],
      ['locate', 'tool-timeout'],
    ])
  })

  test('a judge that never answers: `onToolStart`: the call is answered `tool-timeout`, and does not run', async () => {
    const seen: unknown[] = []
    const own = tool({ inputSchema, execute: () => seen.push(1) })
    const result = await timed({ tools: { ...tools, look: own }, onToolStart: hang })
    expect([codeOf(result), seen]).toEqual([
      [
        ['look', 'tool-timeout'],
        ['locate', 'tool-timeout'],
      ],
      [],
    ])
    const message = "Nobody decided within 1000 ms whether 'look' may run, so it was not run."
    expect(result.toolResults[0]?.output.value).toMatchObject({ message })
  })

  test.each(['denyCall', 'needsApproval', 'refineInput', 'onToolStart'])(
    'a judge that takes long, as `%s`, has what the tool’s own `timeout` says, and leaves the tool what is left of it',
    async (name) => {
      const clock = fakeClock()
      const answer = name === 'needsApproval' ? false : undefined
      const wait = () => new Promise<never>((resolve) => void clock.after(60, () => resolve(answer as never)))
      const aborted: number[] = []
      const execute = (_input: unknown, { signal }: ToolContext) => {
        signal.addEventListener('abort', () => aborted.push(clock.now()))
        return hang()
      }
      const slow = tool({ inputSchema, timeout: 100, execute, ...(name === 'needsApproval' && { [name]: wait }) })
      const judge = name === 'needsApproval' ? {} : { [name]: wait }
      const { loop } = playing([[call('slow')], 'done'], { clock, timeout: 5000, tools: { slow }, ...judge })
      const running = loop.generate('x')
      // 60 of the 100 milliseconds go to the judge; the clock stands still while the loop works.
      for (let ms = 0; ms < 120; ms++) {
        await new Promise((resolve) => void setTimeout(resolve))
        clock.advance(1)
      }
      const { toolResults } = await running
      expect([aborted, toolResults[0]?.output.value]).toMatchObject([[100], { code: 'tool-timeout' }])
    },
  )

  test.each(['denyCall', 'needsApproval', 'onToolStart'])(
    'a judge that takes long, as `%s`, is given up when the time of its call is over, also where others took most of it',
    async (name) => {
      const clock = fakeClock()
      const refineInput = () => new Promise<undefined>((resolve) => void clock.after(60, () => resolve(undefined)))
      const ran: unknown[] = []
      const declared = tool({ inputSchema, timeout: 100, execute: (input) => void ran.push(input) })
      const [slow, options] =
        name === 'needsApproval' ? [{ ...declared, [name]: hang }, {}] : [declared, { [name]: hang }]
      const { loop } = playing([[call('slow')], 'done'], { clock, tools: { slow }, refineInput, ...options })
      const running = loop.generate('x')
      let settled = false
      void running.then(() => (settled = true))
      for (let ms = 0; ms < 100; ms += 10) {
        await idle()
        expect(settled).toBe(false)
        clock.advance(10)
      }
      const result = await running
      expect([ran, result.status === 'requires-action' ? 'asked' : codeOf(result)]).toEqual([
        [],
        name === 'needsApproval' ? 'asked' : [['slow', 'tool-timeout']],
      ])
    },
  )

  test('an approved call whose schema takes too long is answered by its name, also where a hook made its input', async () => {
    let hangs = false
    const slow = tool({
      inputSchema: inputSchema.refine(() => (hangs ? hang() : true)),
      needsApproval: true,
      execute: hang,
    })
    const { loop } = playing([[call('slow')], 'done'], {
      tools: { slow },
      refineInput: () => ({ n: 8 }),
      toolTimeout: 0,
    })
    const { transcript } = await loop.generate('x')
    hangs = true
    const later = playing(['done'], { tools: { slow }, toolTimeout: 1000, clock: hasty }).loop
    const { toolResults } = await later.generate({ transcript, toolOutputs: { '*': { approved: true } } })
    const message = "'slow' did not finish within 1000 ms."
    expect(toolResults[0]?.output.value).toEqual({ code: 'tool-timeout', message })
  })

  const shell = providerTool({ provider: 'scripted', name: 'shell', definition: { type: 'shell' } })
  const unparsable = (toolName: string) => ({ type: 'call', toolName, input: '{bad' }) as const

  test.each<[string, string, Partial<StepLoopOptions>]>([
    ['a provider’s tool that the caller runs', 'shell', { tools: { ...tools, shell } }],
    ['a name that the caller knows', 'ghost', { unknownTools: 'client' }],
  ])('arguments that cannot be read are not handed over for %s', async (_what, name, options) => {
    const { loop } = playing([[unparsable(name)], 'done'], options)
    const { status, toolResults } = await loop.generate('x')
    expect([status, toolResults[0]?.output.value]).toMatchObject(['completed', { code: 'unparsable-input' }])
  })

  test('arguments that cannot be read of a name that nobody knows are those of an unknown tool', async () => {
    const { toolResults } = await playing([[unparsable('ghost')], 'done'], {}).loop.generate('x')
    expect(toolResults[0]?.output.value).toMatchObject({ code: 'unknown-tool' })
  })

  test('a waiting call that `onToolStart` answers counts as none that ran', async () => {
    const asked: unknown[] = []
    const { loop } = playing([[call('locate')], [call('look')], 'done'], {
      maxToolCalls: 1,
      onToolStart: ({ toolCall }) => {
        asked.push(toolCall?.input)
        return toolCall?.toolName === 'locate' ? { type: 'answer', output: 'here' } : undefined
      },
    })
    const { stopReason, toolResults } = await loop.generate('x')
    expect(asked[0]).toEqual({ n: 7 })
    const unanswered = await playing([[call('locate')]], { onToolStart: () => undefined }).loop.generate('x')
    expect([unanswered.status, unanswered.transcript.pendingCalls.length]).toEqual(['requires-action', 1])
    expect(toolResults.map((part) => Object.isFrozen(part))).toEqual([true, true])
    expect(toolResults.map(({ output }) => output.value)).toEqual(['here', 'seen'])
    expect(stopReason).toBe('max-tool-calls')
  })

  test('a call that a hook answers is not said to have run with what an approver gave', async () => {
    const onToolStart = () => ({ type: 'answer', output: 'hooked' }) as const
    const { loop, ran } = playing([[call('pay')], 'done'], { onToolStart })
    const { transcript } = await loop.generate('x')
    const edited = { approved: true, input: { n: 3 } } as const
    const { toolResults } = await loop.generate({ transcript, toolOutputs: { '*': edited } })
    expect([ran, toolResults[0]?.output]).toEqual([[], { type: 'text', value: 'hooked' }])
  })

  test.each(['unjudged', 'edited', 'offered'])(
    'a mark of a waiting call that is not true is no mark: %s',
    async (mark) => {
      const { transcript } = await playing([[call('locate')]], {}).loop.generate('x')
      const pendingCalls = transcript.pendingCalls.map((pending) => ({ ...pending, [mark]: 'no' }))
      const given = stored({ ...transcript, pendingCalls }) as Transcript
      await expect(playing([], {}).loop.generate(given)).rejects.toMatchObject({ code: 'invalid-transcript' })
    },
  )
}
