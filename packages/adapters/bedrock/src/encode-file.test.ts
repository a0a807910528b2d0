import { expect, test } from 'vitest'
import type { FilePart, Message } from '@steploop/core/adapter'
import { send } from './testing.ts'

const pdf = (fields: Partial<FilePart>): FilePart => ({ type: 'file', mediaType: 'application/pdf', ...fields })
const asked = (...files: readonly FilePart[]): Message => ({ role: 'user', content: files })
const answered = (fields: object): Message =>
  ({ role: 'assistant', content: [fields], provider: 'bedrock', model: 'm' }) as Message

/** Names of all documents of a request. */
function namesOf(messages: readonly Message[]): readonly string[] {
  const body = JSON.stringify(send({ messages }).body)
  return [...body.matchAll(/"document":\{"format":"pdf","name":"([^"]*)"/g)].map(([, name = '']) => name)
}

test.each([
  ['Bericht 7.pdf', 'Bericht 7'],
  [' Bericht:  7 .pdf', 'Bericht- 7'],
  [`${'a'.repeat(250)}.pdf`, 'a'.repeat(200)],
])('a document of the file %j is called %j', (filename, name) => {
  expect(namesOf([asked(pdf({ filename, data: 'YQ==' }))])).toEqual([name])
})

test('documents without a name are told from others by what they hold', () => {
  const files = [{ data: 'YQ==' }, { data: 'Yg==' }, { url: 's3://b/c.pdf' }, { url: 's3://b/d.pdf' }].map(pdf)
  const names = namesOf([asked(...files)])
  expect(new Set(names.map((name) => name.replace(/^document-[0-9a-z]+$/, '')))).toEqual(new Set(['']))
  expect(new Set(names).size).toBe(4)
  expect(names.join('')).not.toContain('(2)')
})

test('documents of one long name are told apart by a number within the length', () => {
  const file = pdf({ filename: `${'a'.repeat(250)}.pdf`, data: 'YQ==' })
  expect(namesOf([asked(file, file)])).toEqual(['a'.repeat(200), `${'a'.repeat(190)} (2)`])
})

test('documents of one name get numbers, the same in every later request, and arguments that look like a document stay', () => {
  const lookalike = { document: { format: 'pdf', name: '見積', source: {} } }
  const call = { type: 'tool-call', toolCallId: 'c1', toolName: 'get_weather', owner: 'loop' }
  const output = { type: 'content', value: [pdf({ filename: '-- (2).pdf', data: 'Yw==' })] } as const
  const messages: readonly Message[] = [
    asked(pdf({ filename: '見積.pdf', data: 'YQ==' }), pdf({ filename: '契約.pdf', data: 'Yg==' })),
    answered({ ...call, input: lookalike, inputText: JSON.stringify(lookalike) }),
    { role: 'tool', content: [{ type: 'tool-result', toolCallId: 'c1', toolName: 'get_weather', output }] },
    answered({ type: 'text', text: 'Und?' }),
    asked(pdf({ filename: '見積.pdf', data: 'YQ==' })),
  ]
  expect(namesOf(messages.slice(0, 1))).toEqual(['--', '-- (2)'])
  expect(namesOf(messages)).toEqual(['--', '-- (2)', '見積', '-- (2) (2)', '-- (3)'])
})
