import { expect, test } from 'vitest'
import { z } from 'zod'
import { providerTool, tool, type RunInput, type StepLoopOptions, type Transcript } from '@steploop/core'
import { scriptedAdapter, type ScriptedTurn } from '@steploop/core/testing'
import type { MakeWholeLoop } from '../loop.ts'
import { stored } from '../scenario.ts'
import { call, failureOf, hang, throws } from './parts.ts'

export function testOpenCalls(makeLoop: MakeWholeLoop): void {
  // What goes on waiting when a run ends before its calls were judged, and what becomes of it then.

  const fails = throws(new Error('broken'))
  const inputSchema = z.object({ n: z.number().default(7) })
  const look = tool({ inputSchema, execute: () => 'seen' })
  const locate = tool({ inputSchema })
  const paying = (ran: unknown[]) =>
    tool({ inputSchema, needsApproval: true, execute: (input) => (ran.push(input), 'paid') })
  const pay = paying([])
  const tools = { look, locate, pay }

  function playing(script: readonly ScriptedTurn[], options: Partial<StepLoopOptions> = {}) {
    return makeLoop({ model: scriptedAdapter(script), tools, toolTimeout: 0, ...options })
  }

  async function transcriptOf(run: Promise<unknown>): Promise<Transcript> {
    return stored((await failureOf(run)).transcript!)
  }

  const waiting = ({ pendingCalls }: Transcript) =>
    pendingCalls.map(({ toolName, reason, unjudged }) => [toolName, reason, unjudged === true ? 'unjudged' : 'judged'])

  const shell = providerTool({ provider: 'scripted', name: 'shell', definition: { type: 'shell' } })
  const later = (): Promise<undefined> => Promise.resolve(undefined)
  const unshown = tool({ inputSchema, needsApproval: true, execute: () => 1 })
  class Socket {
    port = 443
  }
  const socket = tool({
    inputSchema: inputSchema.transform(() => ({ socket: new Socket() })),
    needsApproval: true,
    execute: () => 1,
  })

  const filtered: ScriptedTurn = { parts: [call('locate')], finishReason: 'content-filter' }

  test.each<[string, readonly ReturnType<typeof call>[], Partial<StepLoopOptions>, readonly unknown[]]>([
    [
      'no call whose arguments cannot be read',
      [call('locate', '{bad'), call('pay', '{bad'), call('locate')],
      { refineInput: fails },
      [['locate', 'client-tool', 'unjudged']],
    ],
    [
      'no call beyond those of a step',
      [call('locate'), call('pay'), call('locate')],
      { maxToolCallsPerStep: 2 },
      [
        ['locate', 'client-tool', 'unjudged'],
        ['pay', 'approval', 'unjudged'],
      ],
    ],
    ['no call of a tool that is not offered', [call('locate'), call('pay')], { activeTools: ['look'] }, []],
    ['no call of a tool that nobody knows', [call('ghost')], {}, []],
    ['a call that the caller knows', [call('ghost')], { unknownTools: 'client' }, [['ghost', 'client-tool', 'judged']]],
    [
      'a call of a provider’s tool that the caller runs',
      [call('shell')],
      { tools: { ...tools, shell } },
      [['shell', 'client-tool', 'judged']],
    ],
    [
      'a call that somebody takes time to judge, unjudged',
      [call('locate'), call('ghost')],
      { denyCall: later, unknownTools: 'client' },
      [
        ['locate', 'client-tool', 'unjudged'],
        ['ghost', 'client-tool', 'unjudged'],
      ],
    ],
    ['no call of a turn that a limit had left for the answer', [call('locate')], { maxSteps: 0 }, []],
    ['no call of a turn that was to call nothing', [call('locate')], { toolChoice: 'none' }, []],
    ['no call of a turn that a filter cut', [], { model: scriptedAdapter([filtered]) }, []],
    [
      'no call of a tool that needs no approval',
      [call('free'), call('look')],
      { tools: { ...tools, free: { ...pay, needsApproval: false } } },
      [],
    ],
  ])('a hook that fails before calls are judged leaves open: %s', async (_what, turn, options, open) => {
    const loop = playing([turn], { onResponse: fails, ...options })
    expect(waiting(await transcriptOf(loop.generate('x')))).toEqual(open)
  })

  /** Aborts a run whose first call is judged for ever, so that the abort finds the others with their input made ready. */
  async function abortedWhileJudged(turn: readonly ReturnType<typeof call>[], options: Partial<StepLoopOptions>) {
    const controller = new AbortController()
    const { denyCall } = options
    const loop = playing([[call('look'), ...turn]], {
      ...options,
      denyCall: (asked) => (asked.toolName === 'look' ? hang() : denyCall?.(asked)),
    })
    const failed = transcriptOf(loop.generate('x', { abortSignal: controller.signal }))
    setTimeout(() => controller.abort(), 5)
    return failed
  }

  test.each<[string, Partial<StepLoopOptions>, readonly unknown[]]>([
    [
      'what is allowed waits as if it had been judged',
      { denyCall: () => undefined },
      [
        ['locate', 'client-tool', 'judged'],
        ['pay', 'approval', 'judged'],
      ],
    ],
    [
      'what is denied is shown to nobody',
      {
        denyCall: ({ toolName, input }) =>
          toolName === 'pay' && (input as { n: number }).n === 7 ? 'no money' : undefined,
      },
      [['locate', 'client-tool', 'judged']],
    ],
    [
      'what cannot be judged now waits for it',
      { denyCall: ({ toolName }) => (toolName === 'pay' ? Promise.reject(new Error('down')) : fails()) },
      [
        ['locate', 'client-tool', 'unjudged'],
        ['pay', 'approval', 'unjudged'],
      ],
    ],
  ])('an abort while calls are judged asks those who judge at once: %s', async (_what, options, open) => {
    expect(waiting(await abortedWhileJudged([call('locate'), call('pay')], options))).toEqual(open)
  })

  test('nobody is asked to approve what cannot be shown, although the run was aborted before', async () => {
    const turn = [call('unshown'), call('socket')]
    const transcript = await abortedWhileJudged(turn, { tools: { ...tools, unshown, socket } })
    expect(waiting(transcript)).toEqual([['unshown', 'approval', 'judged']])
  })

  test('a call whose input was refused does not wait', async () => {
    const transcript = await abortedWhileJudged([call('locate', { n: 'seven' }), call('pay', { n: 'seven' })], {})
    expect(waiting(transcript)).toEqual([])
  })

  /** Three calls that nobody has judged: one of the client’s, two for an approval. */
  async function notJudged(): Promise<Transcript> {
    const turn = [call('locate', {}, 'l'), call('pay', {}, 'p'), call('pay', { n: 1 }, 'q')]
    return transcriptOf(playing([turn], { onResponse: fails }).generate('x'))
  }

  const going = async (transcript: Transcript, toolOutputs: object, options: Partial<StepLoopOptions>) =>
    playing(['done'], options).generate({ transcript, toolOutputs } as RunInput)

  test('a call that waits unjudged, and turns out to need nobody, runs at once', async () => {
    const needsApproval = ({ n }: { readonly n: number }) => n === 1
    const ran: unknown[] = []
    const options = { tools: { ...tools, pay: { ...paying(ran), needsApproval } } }
    const { transcript, toolResults, warnings } = await going(await notJudged(), {}, options)
    expect([ran, toolResults.map(({ toolCallId }) => toolCallId), warnings]).toEqual([[{ n: 7 }], ['p'], []])
    expect(waiting(transcript)).toEqual([
      ['locate', 'client-tool', 'judged'],
      ['pay', 'approval', 'judged'],
    ])
    expect(transcript.pendingCalls.map(({ toolCallId, input }) => [toolCallId, input])).toEqual([
      ['l', { n: 7 }],
      ['q', { n: 1 }],
    ])
  })

  test('a call that waits unjudged and is refused by its approver does not run, whoever would let it', async () => {
    const ran: unknown[] = []
    const options = { tools: { ...tools, pay: { ...paying(ran), needsApproval: () => false } } }
    const answers = { p: { approved: false, reason: 'too dear' }, q: { approved: false } }
    const { toolResults } = await going(await notJudged(), answers, options)
    expect(ran).toEqual([])
    expect(toolResults.map(({ output }) => output.value)).toEqual([
      { code: 'denied', message: 'The call was not approved. Reason: too dear' },
      { code: 'denied', message: 'The call was not approved.' },
    ])
  })

  test('a call that waits unjudged is denied before its answer counts', async () => {
    const denyCall: StepLoopOptions['denyCall'] = ({ toolName }) => (toolName === 'locate' ? 'not there' : undefined)
    const { toolResults } = await going(await notJudged(), { l: { output: 'forged' } }, { denyCall })
    expect(toolResults[0]?.output.value).toEqual({ code: 'denied', message: 'not there' })
  })

  test('a call that waits unjudged is shown with what the model gave, and marked where only an edit had offered its tool', async () => {
    const options = { activeTools: ['look'], prepareStep: () => ({ activeTools: ['locate', 'pay'] }) }
    const turn = [call('locate', { n: 1 }), call('pay', { n: 2 })]
    const { pendingCalls } = await transcriptOf(playing([turn], { onResponse: fails, ...options }).generate('x'))
    expect(pendingCalls.map(({ input, offered }) => [input, offered])).toEqual([
      [{ n: 1 }, true],
      [{ n: 2 }, true],
    ])
  })

  test('a call that waits unjudged, and is denied, waits for nobody any more', async () => {
    const denyCall: StepLoopOptions['denyCall'] = ({ toolName }) => (toolName === 'pay' ? 'no money' : undefined)
    const { transcript, toolResults } = await going(await notJudged(), {}, { denyCall })
    expect(waiting(transcript)).toEqual([['locate', 'client-tool', 'judged']])
    const denied = { code: 'denied', message: 'no money' }
    expect(toolResults.map(({ output }) => output.value)).toEqual([denied, denied])
  })

  test('a user who goes on without answering has judged nothing, and nobody is asked', async () => {
    const [asked, ran]: [unknown[], unknown[]] = [[], []]
    const denyCall: StepLoopOptions['denyCall'] = ({ toolName }) => void asked.push(toolName)
    const loop = playing(['done'], { denyCall, tools: { ...tools, pay: paying(ran) } })
    const { messages } = await loop.generate({ transcript: await notJudged(), prompt: 'Never mind' })
    const results = messages.flatMap(({ role, content }) => (role === 'tool' ? content : []))
    const value = { code: 'not-executed', message: 'The user went on without answering this call.' }
    expect(results).toMatchObject(['l', 'p', 'q'].map((toolCallId) => ({ toolCallId, output: { value } })))
    expect([asked, ran]).toEqual([[], []])
  })

  test('a tool of the client’s that only an edit had offered needs no mark of it once it was judged', async () => {
    const options = { activeTools: ['look'], prepareStep: () => ({ activeTools: ['locate', 'pay'] }) }
    const { transcript } = await playing([[call('locate'), call('pay')]], options).generate('x')
    expect(transcript.pendingCalls.map(({ offered }) => offered)).toEqual([undefined, true])
  })

  test.each<[string, Partial<StepLoopOptions>, string]>([
    ['`onToolStart`', { onToolStart: () => ({ type: 'stop', reason: 'enough' }) }, 'not-executed'],
    ['`onToolExecuted`', { onToolExecuted: () => ({ type: 'stop', reason: 'enough' }) }, 'paid'],
  ])('a hook that stops the run that goes on: %s, and the model is not asked', async (_what, hooks, value) => {
    const { transcript } = await playing([[call('pay')]]).generate('x')
    const model = scriptedAdapter([])
    const loop = playing([], { model, ...hooks })
    const result = await loop.generate({ transcript: stored(transcript), toolOutputs: { '*': { approved: true } } })
    const output = result.toolResults[0]?.output
    expect([result.stopReason, result.stopDetail, model.requests.length]).toEqual(['hook', 'enough', 0])
    expect(output?.type === 'error' ? output.value.code : output?.value).toBe(value)
  })
}
