import { expect, test } from 'vitest'
import { z } from 'zod'
import { tool, type StepLoopOptions, type ToolOutput } from '@steploop/core'
import type { Adapter, TurnEvent } from '@steploop/core/adapter'
import { scriptedAdapter } from '@steploop/core/testing'
import type { MakeWholeLoop } from '../loop.ts'
import { call, throws } from './parts.ts'

/** What can still be written to, at any depth. */
function unfrozen(value: unknown): readonly unknown[] {
  const found: unknown[] = []
  const left: unknown[] = [value]
  while (left.length > 0) {
    const item = left.pop()
    if (typeof item !== 'object' || item === null) continue
    if (!Object.isFrozen(item)) found.push(item)
    left.push(...Object.values(item))
  }
  return found
}

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

  class Names extends Array<string> {}

  test.each<[string, () => object, (made: never) => boolean]>([
    ['a list of a class of its own', () => Names.from(['a']), (made) => (made as object) instanceof Names],
    ['a list with a member', () => Object.assign(['a'], { index: 3 }), ({ index }: { index: number }) => index === 3],
    [
      'an object with a symbol',
      () => ({ [Symbol.for('unit')]: 'km' }),
      (made) => Reflect.get(made, Symbol.for('unit')) === 'km',
    ],
    [
      'an object with a hidden member',
      () => Object.defineProperty({}, 'unit', { value: 'km' }),
      ({ unit }: { unit: string }) => unit === 'km',
    ],
    [
      'an object with a getter',
      () => ({
        get unit() {
          return 'km'
        },
      }),
      ({ unit }: { unit: string }) => unit === 'km',
    ],
    ['a date', () => new Date(7), (made) => Number(made) === 7],
    [
      'a map of maps',
      () => new Map([['a', new Map([['b', 1]])]]),
      (made: Map<string, Map<string, number>>) => made.get('a')?.get('b') === 1,
    ],
  ])('what a schema made is judged and run as it is: %s', async (_what, make, isWhole) => {
    const seen: boolean[] = []
    const look = (input: { readonly made: object }): false => (seen.push(isWhole(input.made as never)), false)
    const send = tool({
      inputSchema: z.looseObject({}).transform(() => ({ made: make() })),
      needsApproval: look,
      execute: (input) => look(input),
    })
    await play({ tools: { send } }, [{}])
    expect(seen).toEqual([true, true])
  })

  test('what a hook is shown is frozen at any depth', async () => {
    let deep: Record<string, unknown> = { end: true }
    for (let level = 0; level < 700; level++) deep = level % 2 === 0 ? { deep } : { deep: [deep] }
    const open: unknown[] = []
    const send = tool({ inputSchema: { type: 'object' }, execute: () => 'ran' })
    await play({ tools: { send }, onToolStart: ({ toolCall }) => void open.push(...unfrozen(toolCall?.input)) }, [deep])
    expect(open).toEqual([])
  })

  test('what is in the history is frozen at any depth before a tool is shown it, and what a tool gave as well', async () => {
    const seen: unknown[] = []
    const shown = { type: 'content', value: [{ type: 'text', text: 'c' }], more: { d: 1 } } as const
    const outputs: ToolOutput[] = [shown, { type: 'json', value: { a: [{ b: 1 }] } }]
    const send = tool({
      inputSchema: { type: 'object' },
      execute: (_input, { messages }) => (seen.push(...messages.flatMap(unfrozen)), 'ran'),
      toModelOutput: () => outputs.pop() ?? shown,
    })
    const providerMetadata = { provider: 'scripted', model: 'scripted-1', data: { id: 'x', more: [{}] } }
    const sent = { type: 'tool-call', toolName: 'send', inputText: '{}', owner: 'client', providerMetadata } as const
    const called: readonly TurnEvent[] = [
      { ...sent, part: 0, toolCallId: 'a', input: { at: [{ day: 1 }] } },
      { ...sent, part: 1, toolCallId: 'b', input: {} },
      { type: 'opaque', part: 2, providerMetadata: structuredClone(providerMetadata) },
      { type: 'turn-end', finishReason: 'tool-calls', rawFinishReason: undefined, usage: undefined },
    ]
    const scripted = scriptedAdapter(['', 'done'])
    const model: Adapter = {
      ...scripted,
      async *turn(request, options) {
        for await (const batch of scripted.turn(request, options)) yield scripted.remaining > 0 ? called : batch
      },
    }
    const { transcript } = await makeLoop({ model, tools: { send } }).generate('x')
    expect(transcript.messages.map(({ content }) => content.length)).toEqual([1, 3, 2, 1])
    expect([...seen, ...unfrozen(transcript.messages)]).toEqual([])
  })

  test('what a run warns of can be written to by nobody, since other runs are told the same', async () => {
    const content = [
      { type: 'tool-result', toolCallId: 'a', toolName: 'send', output: { type: 'text', value: 'x' } },
    ] as const
    const messages = [{ role: 'user', content: 'x' } as const, { role: 'tool', content } as const]
    const { warnings } = await makeLoop({ model: scriptedAdapter(['done']) }).generate({ messages })
    expect([warnings.length, warnings.flatMap(unfrozen)]).toEqual([1, []])
  })

  test('an empty answer of a model that a history gives as a text has no part, and other text is one', async () => {
    const model = scriptedAdapter(['done'])
    const messages = [
      { role: 'user', content: 'x' },
      { role: 'assistant', content: '' },
      { role: 'user', content: 'y' },
      { role: 'assistant', content: 'z' },
      { role: 'user', content: '' },
    ] as const
    await makeLoop({ model }).generate({ messages })
    const sent = model.requests[0]?.request.messages.map(({ content }) => content)
    expect(sent).toEqual(['x', [], 'y', [{ type: 'text', text: 'z' }], ''])
  })
}
