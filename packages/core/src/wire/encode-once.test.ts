import { expect, test, vi } from 'vitest'
import { encodeHistory, encodeOnce, ownMetadata } from './encode-once.ts'
import type { Warning } from '../contract/adapter.ts'
import type { AssistantPart, Message } from '../contract/messages.ts'

const user = (content: string): Message => ({ role: 'user', content })
const drop: Warning = { type: 'dropped', path: 'x', message: 'gone' }

test('an object is encoded once, and its warnings come with every use', () => {
  const encode = vi.fn((key: { name: string }, warn: (warning: Warning) => void) => {
    warn(drop)
    return JSON.stringify(key.name)
  })
  const once = encodeOnce(encode)
  const key = { name: 'a' }
  const warnings: Warning[] = []
  expect([once(key, warnings), once(key, warnings)]).toEqual(['"a"', '"a"'])
  expect(encode).toHaveBeenCalledTimes(1)
  expect(warnings).toEqual([drop, drop])
})

test('a history that grows costs its new messages only, and keeps its text as a prefix', () => {
  const encode = vi.fn((message: Message) => JSON.stringify(message.content))
  const history = encodeHistory(encode)
  const messages: Message[] = [user('a'), user('b')]
  const first = history(messages, [])
  messages.push(user('c'))
  const second = history(messages, [])
  expect([first, second]).toEqual(['"a","b"', '"a","b","c"'])
  expect(encode).toHaveBeenCalledTimes(3)
})

test('of a history that grows, or is sent once more, nothing but the end is looked at again', () => {
  const looked: unknown[] = []
  const messages: Message[] = [user('a'), user('b')]
  const watched = new Proxy(messages, {
    get(target, name) {
      looked.push(name)
      return Reflect.get(target, name) as unknown
    },
  })
  const history = encodeHistory((message) => JSON.stringify(message.content))
  history(watched, [])
  looked.length = 0
  expect(history(watched, [])).toBe('"a","b"')
  messages.push(user('c'))
  expect(history(watched, [])).toBe('"a","b","c"')
  expect(looked).not.toContain('0')
})

test('what a message warns of comes with every history that holds it, however often that is sent', () => {
  const history = encodeHistory((message, { warn }) => {
    if (message.role === 'system') for (const path of message.content) warn({ ...drop, path })
    return message.role === 'user' ? '' : JSON.stringify(message.content)
  })
  const messages: Message[] = [{ role: 'system', content: 'xy' }, user('a')]
  const sent = (given: readonly Message[]) => {
    const warnings: Warning[] = []
    return [history(given, warnings), warnings.map(({ path }) => path)]
  }
  expect(sent(messages)).toEqual(['"xy"', ['x', 'y']])
  expect(sent(messages)).toEqual(['"xy"', ['x', 'y']])
  messages.push({ role: 'system', content: 'z' })
  expect(sent(messages)).toEqual(['"xy","z"', ['x', 'y', 'z']])
  expect(sent([...messages, user('b')])).toEqual(['"xy","z"', ['x', 'y', 'z']])
})

test('an edited history is another array: its messages are looked at anew, the known ones not encoded again', () => {
  const encode = vi.fn((message: Message) => JSON.stringify(message.content))
  const history = encodeHistory(encode)
  const kept = user('b')
  history([user('a'), kept], [])
  expect(history([user('z'), kept], [])).toBe('"z","b"')
  expect(encode).toHaveBeenCalledTimes(3)
})

test('a history whose end was replaced in place is encoded anew', () => {
  const history = encodeHistory((message) => JSON.stringify(message.content))
  const messages = [user('a'), user('b')]
  history(messages, [])
  messages[1] = user('c')
  expect(history(messages, [])).toBe('"a","c"')
})

test('a continuation encodes from its index, and results still find their calls before it', () => {
  const part = {
    type: 'tool-call',
    toolCallId: 'a',
    toolName: 't',
    input: {},
    inputText: '{}',
    owner: 'loop',
    providerMetadata: { provider: 'p', model: 'm', data: { id: 'own' } },
  } as const
  const messages: Message[] = [
    user('q'),
    { role: 'assistant', content: [part] },
    {
      role: 'tool',
      content: [{ type: 'tool-result', toolCallId: 'a', toolName: 't', output: { type: 'text', value: '' } }],
    },
  ]
  const history = encodeHistory((message, context) => {
    if (message.role !== 'tool') return JSON.stringify(message.role)
    const calls = message.content.map(({ toolCallId }) => context.call(toolCallId))
    return JSON.stringify(calls.map((call) => [call?.part.providerMetadata?.data, call?.message.role]))
  })
  expect(history(messages, [], 2)).toBe('[[{"id":"own"},"assistant"]]')
  expect(history(messages, [])).toBe('"user","assistant",[[{"id":"own"},"assistant"]]')
})

test('a result finds the latest call of its id, in whatever order results come and whatever stands between calls', () => {
  const call = (toolCallId: string, data: string): AssistantPart => ({
    type: 'tool-call',
    toolCallId,
    toolName: 't',
    input: {},
    inputText: '{}',
    owner: 'loop',
    providerMetadata: { provider: 'p', model: 'm', data },
  })
  const results = (...ids: readonly string[]): Message => ({
    role: 'tool',
    content: ids.map((toolCallId) => ({
      type: 'tool-result',
      toolCallId,
      toolName: 't',
      output: { type: 'text', value: '' },
    })),
  })
  const history = encodeHistory((message, context) =>
    message.role === 'tool'
      ? message.content.map(({ toolCallId }) => String(context.call(toolCallId)?.part.providerMetadata?.data)).join('')
      : '',
  )
  const messages: Message[] = [
    { role: 'assistant', content: [{ type: 'text', text: '' }, call('a', '1'), call('b', '2')] },
    results('a', 'b'),
    { role: 'assistant', content: [call('c', '3'), { type: 'text', text: '' }, call('a', '4'), call('d', '5')] },
    results('d', 'b', 'a', 'c', 'none', 'c'),
  ]
  expect(history(messages, [])).toBe('12,5243undefined3')
  // Kept messages of an edited history: what was encoded with other calls is not used again.
  const [first, results1, , results2] = messages as [Message, Message, Message, Message]
  const edited: Message = { role: 'assistant', content: [call('a', '6'), call('b', '7')] }
  expect(history([edited, results1], [])).toBe('67')
  expect(history([first, results1, edited, results2], [])).toBe('12,undefined76undefinedundefinedundefined')
  expect(history([results1, edited, results('a')], [])).toBe('undefinedundefined,6')
})

test('a message that encodes to nothing leaves no comma', () => {
  const history = encodeHistory((message) => (message.content === '' ? '' : JSON.stringify(message.content)))
  expect(history([user(''), user('a'), user(''), user('b')], [])).toBe('"a","b"')
})

test('a message of the user without parts is no message; an empty text is one, and so is a message of the model', () => {
  const encode = encodeHistory(({ role }) => JSON.stringify(role))
  const assistant: Message = { role: 'assistant', content: [] }
  expect(encode([{ role: 'user', content: [] }, assistant], [])).toBe('"assistant"')
  expect(encode([user(''), { role: 'user', content: [] }], [])).toBe('"user"')
  expect(encode([{ role: 'user', content: [{ type: 'text', text: '' }] }], [])).toBe('"user"')
})

test('metadata of another provider is not looked at', () => {
  const wire = { provider: 'p', model: 'other', data: 1 }
  expect([
    ownMetadata({ providerMetadata: wire }, 'p'),
    ownMetadata({ providerMetadata: wire }, 'q'),
    ownMetadata({}, 'p'),
  ]).toEqual([1, undefined, undefined])
})
