import type { CallToolResult } from '@modelcontextprotocol/client'
import { expect, test } from 'vitest'
import { mapResult } from './map-result.ts'

const mapped = (result: Partial<CallToolResult>, problem?: string) =>
  mapResult({ content: [], ...result }, { server: 's', problem })
const text = { type: 'text', text: 'a' } as const
const image = { type: 'image', mimeType: 'image/png', data: 'AAAA' } as const
const file = { type: 'file', mediaType: 'image/png', data: 'AAAA' }
const user = { annotations: { audience: ['user' as const] } }

test('a result becomes text, its blocks apart by an empty line', () => {
  expect(mapped({ content: [text, { ...text, text: 'b' }] }).output).toEqual({ type: 'text', value: 'a\n\nb' })
  expect(mapped({}).output).toEqual({ type: 'text', value: '' })
})

test('a result becomes JSON where it has data, whose text says the same', () => {
  expect(mapped({ content: [text], structuredContent: { a: 1 } }).output).toEqual({ type: 'json', value: { a: 1 } })
})

test('a result becomes text and files, in order; data comes first, as JSON', () => {
  const audio = { type: 'audio', mimeType: 'audio/wav', data: 'BBBB' } as const
  expect(mapped({ content: [image, text, audio] }).output).toEqual({
    type: 'content',
    value: [file, text, { type: 'file', mediaType: 'audio/wav', data: 'BBBB' }],
  })
  expect(mapped({ content: [text, image], structuredContent: { a: 1 } }).output).toEqual({
    type: 'content',
    value: [{ type: 'text', text: '{"a":1}' }, file],
  })
})

test('a result becomes text of a resource under its URI, its bytes as a file, and a link as words', () => {
  const content: CallToolResult['content'] = [
    { type: 'resource', resource: { uri: 'file:///a.md', text: '# A' } },
    { type: 'resource_link', name: 'B', uri: 'file:///b.pdf', mimeType: 'application/pdf' },
    { type: 'resource_link', name: 'C', uri: 'file:///c' },
  ]
  expect(mapped({ content }).output.value).toBe(
    'file:///a.md\n# A\n\nB: file:///b.pdf (application/pdf)\n\nC: file:///c',
  )
  const bytes: CallToolResult['content'] = [
    { type: 'resource', resource: { uri: 'file:///d/e.zip?v=1', blob: 'CCCC' } },
  ]
  expect(mapped({ content: bytes }).output.value).toEqual([
    { type: 'file', mediaType: 'application/octet-stream', data: 'CCCC', filename: 'e.zip' },
  ])
})

test('a result becomes an error where the server says so, with its data, and where its data is not what it promises', () => {
  const error = { content: [text], isError: true, structuredContent: { why: 1 } }
  expect(mapped(error).output).toEqual({
    type: 'error',
    value: { code: 'tool-failed', message: 'a', server: 's', structured: { why: 1 } },
  })
  expect(mapped({ isError: true }).output.value).toMatchObject({ message: 'The tool failed without a message.' })
  expect(mapped({ content: [text], structuredContent: {} }, 'a is missing').output.value).toMatchObject({
    code: 'tool-failed',
    message: expect.stringContaining('a is missing'),
  })
})

test('a result becomes less for the model where blocks are for the user alone', () => {
  const both = mapped({
    content: [
      { ...text, ...user },
      { ...text, text: 'b', annotations: { audience: ['user', 'assistant'] } },
    ],
  })
  expect(both).toEqual({ output: { type: 'text', value: 'b' }, forUser: [text] })
  const all = mapped({ content: [{ ...image, ...user }] })
  expect(all).toEqual({ output: { type: 'text', value: 'The result is for the user alone.' }, forUser: [file] })
})
