import { encodeTurn } from '@steploop/core/testing'
import { expect, it } from 'vitest'
import { origin, requestOf } from './testing.ts'
import { anthropicMessages } from './wire.ts'

it.each([
  [true, { anthropic_beta: ['b1'] }, {}],
  [false, { stream: true }, { 'anthropic-beta': 'b1' }],
])(
  'another cloud names its version in the body and the model in the path; its betas stand in the body: %s',
  (betasInBody, members, headers) => {
    const cloud = { version: 'cloud-1', path: (mode: string) => `/x/${mode}`, betasInBody }
    const wire = anthropicMessages({ ...origin, betas: ['b1'], cloud })
    const sent = encodeTurn(wire, requestOf(), 'stream')
    const { max_tokens: _most, messages: _history, ...body } = sent.body
    expect(body).toEqual({ anthropic_version: 'cloud-1', ...members })
    expect(sent).toMatchObject({ path: '/x/stream', headers })
    expect(Object.keys(sent.headers ?? {})).toEqual(Object.keys(headers))
    const file = { type: 'file', mediaType: 'image/png', url: 'https://example.com/a.png' } as const
    const messages = [{ role: 'user', content: [file] }] as const
    expect(() => encodeTurn(wire, requestOf({ messages }))).toThrow('given as url cannot be sent')
  },
)
