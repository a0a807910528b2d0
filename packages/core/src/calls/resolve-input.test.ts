import { expect, test } from 'vitest'
import type { StandardIssue, StandardResult, StandardSchema } from '../tools/standard-schema.ts'
import { fakeClock } from '../testing/index.ts'
import { resolveInput } from './resolve-input.ts'
import { createRunningTools } from './running-tools.ts'

const schemaOf = (validate: () => StandardResult<unknown> | Promise<StandardResult<unknown>>): StandardSchema => ({
  '~standard': { version: 1, vendor: 'acme', validate },
})

function resolve(inputSchema: StandardSchema | { readonly type: 'object' }, input: unknown = {}, clock = fakeClock()) {
  const running = createRunningTools(clock)
  const call = { type: 'tool-call', toolCallId: 'c', toolName: 'look', input, inputText: '{}', owner: 'loop' } as const
  const tool = { type: 'function', inputSchema } as const
  return resolveInput(call, tool, { inputHooks: {}, messages: [], toolTimeout: 100, running })
}

const path = ['at', { key: 'days' }, 0]

test.each<[string, readonly StandardIssue[], readonly { readonly path: string; readonly message: string }[]]>([
  [
    "'at.days.0' is not valid: too early.",
    [{ message: 'too early', path }],
    [{ path: 'at.days.0', message: 'too early' }],
  ],
  [
    'The input is not valid: odd.',
    [{ message: 'odd' }, { message: 'too early', path }],
    [
      { path: '', message: 'odd' },
      { path: 'at.days.0', message: 'too early' },
    ],
  ],
  ['The input is not valid: no reason given.', [], []],
])('the model learns which of its arguments is not valid, and of all issues: %s', (words, issues, shown) => {
  const message = `${words} The call was not run; correct the input and call again.`
  expect(resolve(schemaOf(() => ({ issues })))).toEqual({
    output: { type: 'error', value: { code: 'invalid-input', message, issues: shown } },
  })
})

test('what is no object is refused for a schema that is not checked against', () => {
  const message = expect.stringContaining('not a JSON object')
  expect(resolve({ type: 'object' }, [])).toEqual({
    output: { type: 'error', value: { code: 'invalid-input', message } },
  })
})

test('a schema that throws, at once or later, fails its call alone, with its words and its cause', async () => {
  const cause = new Error('no connection')
  const fails = (): never => {
    throw cause
  }
  const output = { type: 'error', value: { code: 'tool-failed', message: 'no connection' } }
  expect(resolve(schemaOf(fails))).toEqual({ output, cause })
  expect(await resolve(schemaOf(async () => fails()))).toEqual({ output, cause })
})

test('a schema that takes longer than the call may is not waited for', async () => {
  const clock = fakeClock()
  const hangs = schemaOf(() => new Promise(() => undefined))
  const resolving = resolve(hangs, {}, clock)
  clock.advance(100)
  const message = "'look' did not finish within 100 ms."
  expect(await resolving).toMatchObject({ output: { value: { code: 'tool-timeout', message } } })
})
