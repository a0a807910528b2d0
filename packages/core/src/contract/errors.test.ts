import { expect, test } from 'vitest'
import type { AdapterErrorCode } from './adapter.ts'
import { AdapterError, type AdapterErrorOptions, LoopError, rebuildMessage, StepLoopError } from './errors.ts'

const acme = { provider: 'acme', model: 'm-1' } as const

/** Whether asking again, unchanged, may help. */
const codes: Readonly<Record<AdapterErrorCode, boolean>> = {
  'missing-api-key': false,
  authentication: false,
  permission: false,
  'not-found': false,
  'bad-request': false,
  'context-overflow': false,
  'content-filter': false,
  'rate-limit': true,
  'insufficient-credit': false,
  overloaded: true,
  'server-error': true,
  connection: true,
  timeout: true,
  aborted: false,
  'incomplete-stream': true,
  'malformed-response': true,
  'empty-response': true,
  'response-too-large': false,
  'tool-use-failed': false,
  'continuation-not-found': false,
  unsupported: false,
  unknown: false,
}

test.each(Object.entries(codes) as [AdapterErrorCode, boolean][])(
  'an error %s says what happened and how to fix it, and that it may be asked again: %s',
  (code, retryable) => {
    const error = new AdapterError({ ...acme, code, status: 418, providerMessage: 'No', excerpt: '<html>' })
    const words = /^acme\/m-1: (?!undefined)\w.* \(HTTP 418\)\. Provider message: No\. Received: <html> [A-Z].*\.$/
    expect(error.message).toMatch(words)
    expect(error.retryable).toBe(retryable)
    expect(new AdapterError({ ...acme, code, retryable: !retryable }).retryable).toBe(!retryable)
  },
)

const unset: Partial<AdapterErrorOptions> = JSON.parse('{ "providerMessage": null, "excerpt": null }')

test.each([
  ['nothing else', {}, 'acme/m-1: it broke. Read the provider message.'],
  ['null for a fact, as code without types gives it', unset, 'acme/m-1: it broke. Read the provider message.'],
  [
    'a sentence',
    { providerMessage: 'Stop!' },
    'acme/m-1: it broke. Provider message: Stop! Read the provider message.',
  ],
  [
    'blanks at its end',
    { providerMessage: 'Stop \n' },
    'acme/m-1: it broke. Provider message: Stop. Read the provider message.',
  ],
  [
    'a control character',
    { excerpt: '\u001B[2J\u0001' },
    String.raw`acme/m-1: it broke. Received: \x1b[2J\x01 Read the provider message.`,
  ],
  ['a refusal', { refusal: 'Do it otherwise.' }, 'acme/m-1: Do it otherwise.'],
])('the text of an error with %s', (_, facts, message) => {
  const error = new AdapterError({ ...acme, code: 'unknown', message: 'it broke', ...facts })
  expect(error.message).toBe(message)
  expect(rebuildMessage(error, (text) => text).message).toBe(message)
})

test('what a provider wrote is cut: 1000 characters of its words, 200 of what could not be read', () => {
  const [long, longer] = ['a'.repeat(1000), 'b'.repeat(200)]
  const facts = { ...acme, code: 'unknown', status: 500, providerMessage: `${long}z`, excerpt: `${longer}z` } as const
  const error = new AdapterError(facts)
  const again = rebuildMessage(error, (text) => text.replace('z', 'y'))
  for (const { providerMessage, excerpt } of [error, again]) expect([providerMessage, excerpt]).toEqual([long, longer])
  expect(error.message).toContain(`(HTTP 500). Provider message: ${long}. Received: ${longer} Read`)
  expect(again.message).toBe(error.message)
})

test('secrets of an error that another copy of this package made are hidden in its own words', () => {
  const { message, code, providerMessage, excerpt } = new AdapterError({
    ...acme,
    code: 'unknown',
    message: 'secret 1',
    providerMessage: 'secret 2',
    excerpt: 'secret 3',
  })
  const other = Object.assign(Object.create(AdapterError.prototype) as AdapterError, {
    ...acme,
    message,
    code,
    providerMessage,
    excerpt,
  })
  expect(rebuildMessage(other, (text) => text.replaceAll('secret', '***'))).toEqual({
    message: 'acme/m-1: *** 1. Provider message: *** 2. Received: *** 3 Read the provider message.',
    providerMessage: '*** 2',
    excerpt: '*** 3',
  })
})

/** An error of another copy of this package, which has the same mark. */
const foreign = (name: string): Error => Object.assign(new Error(''), { [Symbol.for('steploop.error')]: true, name })

test.each([
  ['a LoopError', new LoopError('aborted', ''), [true, false, true]],
  ['an AdapterError', new AdapterError({ ...acme, code: 'unknown' }), [true, true, false]],
  ['an error of another package of ours', new StepLoopError('odd', ''), [true, false, false]],
  ['a LoopError of another copy', foreign('LoopError'), [true, false, true]],
  ['an AdapterError of another copy', foreign('AdapterError'), [true, true, false]],
  ['an error that only has the name', Object.assign(new Error(''), { name: 'AdapterError' }), [false, false, false]],
  ['an object that only has the name', { name: 'LoopError' }, [false, false, false]],
  ['nothing', undefined, [false, false, false]],
])('%s is known across copies of the package for what it is', (_, error, kinds) => {
  expect([StepLoopError, AdapterError, LoopError].map((kind) => kind.isInstance(error))).toEqual(kinds)
})

test('an error of the loop says where the run stood, and always has a list of steps', () => {
  const facts = { step: 2, partialText: 'half', usage: { inputTokens: 1 } } as const
  expect(new LoopError('aborted', 'stopped', facts)).toMatchObject({ ...facts, name: 'LoopError', steps: [] })
  expect(new StepLoopError('odd', 'stopped')).toMatchObject({ name: 'StepLoopError', code: 'odd', message: 'stopped' })
})
