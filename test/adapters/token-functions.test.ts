import { inspect } from 'node:util'
import { AdapterError, collectTurn, type Adapter } from '@steploop/core/adapter'
import { createAzureOpenAI } from '@steploop/openai'
import { createAzureChat } from '@steploop/openai-compatible'
import { createVertex, createVertexClaude } from '@steploop/vertex'
import { describe, expect, test, vi } from 'vitest'

type Token = () => string | Promise<string>
type Make = (accessToken: Token, fetch: typeof globalThis.fetch) => Adapter

const project = { project: 'my-project', location: 'europe-west4' }
const baseURL = 'https://my-resource.openai.azure.com/openai/v1'

/** Everything that takes tokens of a cloud in place of a key. */
const clouds: Readonly<Record<string, Make>> = {
  'Gemini on Vertex': (accessToken, fetch) => createVertex({ ...project, accessToken, fetch })('gemini-3'),
  'Gemini on Vertex, by a client of google-auth-library': (accessToken, fetch) =>
    createVertex({ ...project, auth: { getAccessToken: async () => ({ token: await accessToken() }) }, fetch })(
      'gemini-3',
    ),
  'Claude on Vertex': (accessToken, fetch) =>
    createVertexClaude({ ...project, accessToken, fetch })('claude-sonnet-4-6'),
  'Azure behind Chat Completions': (accessToken, fetch) => createAzureChat({ baseURL, accessToken, fetch })('d'),
  'Azure behind Responses': (accessToken, fetch) => createAzureOpenAI({ baseURL, accessToken, fetch })('d'),
}

const untyped = (value: unknown): Token => (() => Promise.resolve(value)) as Token
const secret = 'ya29.a0AfB-byC1234567890abcdef'

function ask(make: Make, accessToken: Token, signal?: AbortSignal) {
  const sent: (string | null)[] = []
  const fetch: typeof globalThis.fetch = (_, init) => {
    sent.push(new Headers(init?.headers).get('authorization'))
    return Promise.resolve(new Response(`no: ${sent.at(-1)}`, { status: 401 }))
  }
  const adapter = make(accessToken, fetch)
  const turn = async (): Promise<AdapterError> => {
    const request = { messages: [{ role: 'user', content: 'Hi' }], turn: 0 } as const
    const thrown: unknown = await collectTurn(adapter.turn(request, { mode: 'generate', signal })).catch(
      (e: unknown) => e,
    )
    if (!AdapterError.isInstance(thrown)) throw new Error(`no AdapterError: ${inspect(thrown)}`)
    return thrown
  }
  return { sent, turn }
}

const shown = (error: AdapterError): string => inspect(error, { depth: 9, showHidden: true })

describe.each(Object.entries(clouds))('a token function of %s', (_, make) => {
  test('a token function is asked at each request, and no token shows in the error that repeats it', async () => {
    let count = 0
    const { sent, turn } = ask(make, () => `${secret}-${(count += 1)}`)
    for (const error of [await turn(), await turn()]) {
      expect(error.code).toBe('authentication')
      expect(shown(error)).not.toContain(secret)
    }
    expect(sent).toEqual([`Bearer ${secret}-1`, `Bearer ${secret}-2`])
  })

  test.each([
    ['nothing', undefined],
    ['null', null],
    ['an empty text', ''],
    ['a number', 12],
    ['an object', { token: secret }],
    ['a text with a line end', `${secret}\nx-evil: 1`],
  ])('a token function that gives %s is an authentication error before any request', async (_name, value) => {
    const { sent, turn } = ask(make, untyped(value))
    const error = await turn()
    expect(error).toMatchObject({ code: 'authentication', retryable: false })
    expect(shown(error)).not.toContain(secret)
    expect(sent).toEqual([])
  })

  test.each([
    [
      'throws',
      () => {
        throw Object.assign(new Error(`refresh_token=${secret}`), { config: { data: secret } })
      },
    ],
    ['rejects', () => Promise.reject(Object.assign(new Error('invalid_grant'), { config: { data: secret } }))],
  ] as const)(
    'a token function that %s is an authentication error too, without what it was asked with',
    async (_name, accessToken) => {
      const { sent, turn } = ask(make, accessToken)
      const error = await turn()
      expect(error).toMatchObject({ code: 'authentication', retryable: false })
      expect(shown(error)).not.toContain(secret)
      expect(sent).toEqual([])
    },
  )

  test('a token function that never answers ends with the turn', async () => {
    const controller = new AbortController()
    const accessToken = vi.fn(() => new Promise<string>(() => undefined))
    const { sent, turn } = ask(make, accessToken, controller.signal)
    const error = turn()
    await vi.waitFor(() => expect(accessToken).toHaveBeenCalledOnce())
    controller.abort()
    expect((await error).code).toBe('aborted')
    expect(sent).toEqual([])
  })
})
