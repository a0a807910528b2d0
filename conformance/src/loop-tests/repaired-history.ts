import type { Message, RunOptions, ToolMessage } from '@steploop/core'
import { scriptedAdapter } from '@steploop/core/testing'
import { expect, test } from 'vitest'
import type { MakeWholeLoop } from '../loop.ts'

export function testRepairedHistory(makeLoop: MakeWholeLoop): void {
  const assistant = (...ids: string[]): Message => ({
    role: 'assistant',
    content: ids.map((toolCallId) => ({
      type: 'tool-call',
      toolCallId,
      toolName: 't',
      input: {},
      inputText: '{}',
      owner: 'loop' as const,
    })),
  })
  const results = (...ids: string[]): ToolMessage => ({
    role: 'tool',
    content: ids.map((id) => ({
      type: 'tool-result',
      toolCallId: id,
      toolName: 't',
      output: { type: 'text', value: id },
    })),
  })
  const user: Message = { role: 'user', content: 'x' }

  /** Roles, and for tool messages the ids with their outputs. */
  function outline(messages: readonly Message[]): string[] {
    return messages.map((message) =>
      message.role === 'tool'
        ? message.content
            .map((part) => `${part.toolCallId}:${part.output.type === 'error' ? part.output.value.code : 'ok'}`)
            .join(' ')
        : message.role,
    )
  }

  /** A repair, where it was made and with these words. */
  const repair = (index: number, words: string) => ({
    type: 'repaired',
    path: `messages[${index}]`,
    message: expect.stringContaining(words),
  })

  /** What the model is asked with. */
  async function repaired(given: readonly Message[], options: RunOptions = {}) {
    const model = scriptedAdapter(['done'])
    const { warnings } = await makeLoop({ model }).generate({ messages: given }, options)
    return { messages: model.requests[0]?.request.messages ?? [], warnings }
  }

  test('a history that is right comes back with the same messages and no warning', async () => {
    const messages = [user, assistant('a', 'b'), results('a', 'b'), assistant(), user]
    expect(await repaired(messages)).toEqual({ messages, warnings: [] })
  })

  test('a result of the provider keeps to its call where the id was made unique', async () => {
    const searched: Message = {
      role: 'assistant',
      content: [
        {
          type: 'tool-call',
          toolCallId: 'a',
          toolName: 'web',
          input: {},
          inputText: '{}',
          owner: 'provider',
        },
        { type: 'tool-result', toolCallId: 'a', toolName: 'web', output: { type: 'text', value: 'found' } },
      ],
    }
    const { messages, warnings } = await repaired([user, searched, user, searched, user])
    const ids = messages.map(({ role, content }) =>
      role === 'assistant' ? content.map((part) => 'toolCallId' in part && part.toolCallId) : role,
    )
    expect(ids).toEqual(['user', ['a', 'a'], 'user', ['a_2', 'a_2'], 'user'])
    expect(warnings).toMatchObject([repair(3, 'unique')])
  })

  test('a missing result is answered not-executed, where the call was made', { tags: ['H01'] }, async () => {
    const { messages, warnings } = await repaired([user, assistant('a', 'b'), results('b'), user])
    expect(outline(messages)).toEqual(['user', 'assistant', 'a:not-executed b:ok', 'user'])
    expect(messages[2]?.content[0]).toMatchObject({ type: 'tool-result', toolName: 't' })
    expect(warnings).toEqual([repair(2, "call 'a' had no result")])
    expect(outline((await repaired([user, assistant('a')])).messages)).toEqual(['user', 'assistant', 'a:not-executed'])
  })

  test('orphan and repeated results are dropped and reported', { tags: ['H01'] }, async () => {
    const { messages, warnings } = await repaired([results('z'), user, assistant('a'), results('a', 'a', 'y')])
    expect(outline(messages)).toEqual(['user', 'assistant', 'a:ok'])
    expect(warnings).toEqual([repair(0, "('z')"), repair(3, "('y')"), repair(3, "second result for call 'a'")])
  })

  test('results in several messages, in another order, or after the user’s words come into one message in call order', async () => {
    const { messages, warnings } = await repaired([assistant('a', 'b'), user, results('b'), results('a')])
    expect(outline(messages)).toEqual(['assistant', 'a:ok b:ok', 'user'])
    expect(warnings).toEqual([repair(1, 'in call order')])
  })

  test('a reused call id is made unique, and answered by the result that follows its own call', async () => {
    const history = [assistant('a'), results('a'), assistant('a', 'a'), results('a', 'a')]
    const { messages, warnings } = await repaired(history)
    expect(outline(messages)).toEqual(['assistant', 'a:ok', 'assistant', 'a_2:ok a_3:ok'])
    expect(messages.flatMap(({ role, content }) => (role === 'assistant' ? content : []))).toMatchObject([
      { toolCallId: 'a' },
      { toolCallId: 'a_2' },
      { toolCallId: 'a_3' },
    ])
    const message = 'call ids were made unique'
    expect(warnings).toEqual([{ type: 'repaired', path: 'messages[2]', message }])
  })

  test('results of calls that a provider keeps stand before everything else, and answer nothing here', async () => {
    const answer = results('z')
    const kept = (previous: unknown) =>
      repaired([answer, user], { providerOptions: { scripted: { conversation: previous } } })
    expect(await kept('conv_1')).toEqual({ messages: [answer, user], warnings: [] })
    for (const previous of [null, undefined]) expect((await kept(previous)).messages).toEqual([user])
  })
}
