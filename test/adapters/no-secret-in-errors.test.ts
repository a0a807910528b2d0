import { fileURLToPath } from 'node:url'
import { fromLanguageModel, type AiSdkModel } from '@steploop/ai-sdk'
import { cassetteFetch } from '@steploop/cassette/fetch'
import type { Subject } from '@steploop/conformance'
import { AdapterError, LoopError, StepLoop, type Adapter, type ProviderOptions, type RunOptions } from '@steploop/core'
import { createOpenAICompatible } from '@steploop/openai-compatible'
import { describe, expect, test } from 'vitest'
import config from '../../steploop.config.ts'
import { answers, basic, everything, failures, key, leakOf, spellings } from './planted-keys.ts'

const { subjects } = config

/** A `fetch` that gives the text back that it was asked for, in an error or an answer. */
interface Echo {
  readonly title: string
  readonly respond: (said: string) => Response
}

const echoes: readonly Echo[] = [
  ...Object.entries(answers).map(([title, respond]) => ({ title, respond })),
  ...Object.entries(failures).map(([title, failure]) => ({
    title: `a fetch that throws ${title}`,
    respond(said: string): never {
      throw failure(said)
    },
  })),
]

const modes = ['generate', 'stream'] as const

/** What the run of a model fails with in both modes; `undefined` where it does not. */
async function errorsOf(model: Adapter, options: RunOptions = {}): Promise<readonly unknown[]> {
  const loop = new StepLoop({ model, maxRetries: 0 })
  return Promise.all(
    modes.map(async (mode) => {
      try {
        await (mode === 'generate' ? loop.generate('x', options) : loop.stream('x', options).result)
        return undefined
      } catch (error) {
        return error
      }
    }),
  )
}

function expectNoKey(errors: readonly unknown[]): void {
  for (const error of errors) {
    expect(LoopError.isInstance(error) && AdapterError.isInstance(error.cause)).toBe(true)
    expect(leakOf(everything(error))).toBeUndefined()
  }
}

describe.each(subjects.map((subject) => [subject.name, subject] as const))('a key of %s', (_name, subject: Subject) => {
  test.each(echoes.map(({ title, respond }) => [title, respond] as const))(
    'the key shows nowhere after %s',
    async (_, respond) => {
      const fetch = async (): Promise<Response> => respond(key)
      expectNoKey(await errorsOf(subject.adapter({ apiKey: key, fetch })))
    },
  )
})

/** Where an application puts keys. */
interface Location {
  readonly options?: Partial<ProviderOptions>
  readonly run?: RunOptions
  /** What comes back. Default: the key. */
  readonly said?: string
}

const locations: Readonly<Record<string, Location>> = {
  'as the key, with a blank behind it': { options: { apiKey: `${key} ` } },
  'as the key, with line ends around it': { options: { apiKey: `\n${key}\r\n` } },
  'in a header': { options: { headers: { 'x-api-key': key } } },
  'in a header, with a line end': { options: { headers: { 'X-Gateway-Token': `${key}\n` } } },
  'in a header that nobody knows': { options: { headers: { 'x-hello': key } } },
  'in a cookie': { options: { headers: { cookie: `theme=dark; session=${key}` } } },
  'in a signature': { options: { headers: { authorization: `HMAC Credential=${key}, SignedHeaders=host` } } },
  'in Basic credentials': { options: { headers: { authorization: basic } } },
  'in Basic credentials, which come back decoded': {
    options: { headers: { 'proxy-authorization': basic } },
    said: `gateway:${key}`,
  },
  'in Basic credentials, which come back as they are': { options: { headers: { authorization: basic } }, said: basic },
  'as the name of Basic credentials': { options: { headers: { authorization: `Basic ${btoa(`${key}:`)}` } } },
  'in a header of the run': { run: { headers: { 'x-user-token': key } } },
  'in the query of the base URL': { options: { baseURL: `https://gateway.example/v1?key=${key}&x=` } },
  'in the query of the base URL, under another name': {
    options: { baseURL: `https://gateway.example/v1?k=${key}&x=` },
  },
  'in the query of the base URL, encoded': {
    options: { baseURL: `https://gateway.example/v1?token=${encodeURIComponent(`${key}/=`)}&x=` },
    said: `${key}/=`,
  },
  'in the path of the base URL': { options: { baseURL: `https://gateway.example/${key}/v1` } },
  'as the password of the base URL': { options: { baseURL: `https://user:${key}@gateway.example/v1` } },
  'as the user of the base URL': { options: { baseURL: `https://${key}@gateway.example/v1` } },
  'in the body': { run: { providerOptions: { 'openai-compatible': { server: { authorization: key } } } } },
  'in the body, under another name': {
    run: { providerOptions: { 'openai-compatible': { servers: [{ hello: `Bearer ${key}` }] } } },
  },
}

function gateway(fetch: typeof globalThis.fetch, { baseURL, ...options }: Partial<ProviderOptions> = {}): Adapter {
  const base = { baseURL: baseURL ?? 'https://gateway.example/v1', apiKey: 'other-key-of-the-gateway' }
  return createOpenAICompatible({ ...base, ...options, fetch })('m')
}

describe.each(Object.entries(locations))('a key %s', (_location, { options, run, said = key }) => {
  test.each(echoes.map(({ title, respond }) => [title, respond] as const))(
    'the key shows nowhere after %s',
    async (_, respond) => {
      const fetch = async (): Promise<Response> => respond(said)
      expectNoKey(await errorsOf(gateway(fetch, options), run))
    },
  )

  test.each(Object.entries(spellings))('the key shows nowhere where it comes back %s', async (_how, spell) => {
    for (const respond of [answers['a refusal'], answers['a page'], failures['an error whose message says it']]) {
      const fetch = async (): Promise<Response> => {
        const reply = respond?.(spell(said))
        if (reply instanceof Response) return reply
        throw reply
      }
      expectNoKey(await errorsOf(gateway(fetch, options), run))
    }
  })

  test('the key shows nowhere where `fetch` repeats the request that it was given', async () => {
    const repeating: typeof globalThis.fetch = async (url, init) => {
      const { headers, body } = init ?? {}
      const message = `POST ${JSON.stringify({ url, headers, body })} failed`
      throw Object.assign(new TypeError(message), { request: { url, headers, body } })
    }
    expectNoKey(await errorsOf(gateway(repeating, options), run))
  })
})

test('a key is sent without the blanks and line ends around it, as are headers', async () => {
  const sent: unknown[] = []
  const fetch: typeof globalThis.fetch = async (_url, init) => {
    sent.push(init?.headers)
    return new Response(null, { status: 500 })
  }
  await errorsOf(gateway(fetch, { apiKey: `\t${key}\r\n`, headers: { 'x-token': ' abc \n' } }))
  expect(sent).toMatchObject([
    { authorization: `Bearer ${key}`, 'x-token': 'abc' },
    { authorization: `Bearer ${key}`, 'x-token': 'abc' },
  ])
})

test('a connection that really fails shows no key', async () => {
  const baseURL = `http://127.0.0.1:9/v1?key=${key}&x=`
  expectNoKey(await errorsOf(gateway(globalThis.fetch, { baseURL })))
})

/** A model of the AI SDK that fails with `error`. */
function failingModel(error: unknown): AiSdkModel {
  const fail = async (): Promise<never> => {
    throw error
  }
  const model = { specificationVersion: 'v4', provider: 'gateway.chat', modelId: 'm', supportedUrls: {} }
  return { ...model, doGenerate: fail, doStream: fail } as unknown as AiSdkModel
}

const named = (error: (said: string) => unknown) =>
  [fromLanguageModel(failingModel(error(key)), { secrets: [`${key}\n`] }), {}] as const
const inHeader = (error: (said: string) => unknown) =>
  [fromLanguageModel(failingModel(error(key))), { headers: { authorization: basic, 'x-token': `${key} ` } }] as const
const apiCall = (fields: (said: string) => object) => (said: string) =>
  Object.assign(new Error('API call failed'), { name: 'AI_APICallError', url: 'https://x', ...fields(said) })
const all: Readonly<Record<string, (said: string) => unknown>> = {
  ...failures,
  'a refusal': apiCall((said) => ({
    message: said,
    statusCode: 401,
    responseBody: `{"error":{"message":"${said}"}}`,
  })),
  'a page where the text is cut': apiCall((said) => ({ statusCode: 200, responseBody: 'x'.repeat(180) + said })),
  'a request that failed': apiCall((said) => ({ cause: new Error(said), requestBodyValues: { said } })),
  'JSON that does not parse': (said) =>
    Object.assign(new Error(`JSON parsing failed: Text: ${'x'.repeat(480)}${said}.`), {
      name: 'AI_JSONParseError',
      text: 'x'.repeat(180) + said,
      cause: new SyntaxError(said),
    }),
  'a value of another type': (said) =>
    Object.assign(new Error(`Type validation failed: Value: ${'x'.repeat(470)}${said}`), {
      name: 'AI_TypeValidationError',
      value: { said },
    }),
}

test.each(Object.entries(all))('a key of a model of the AI SDK shows nowhere after %s', async (_what, error) => {
  for (const [model, options] of [named(error), inHeader(error)]) expectNoKey(await errorsOf(model, options))
})

test.each(Object.entries(locations))(
  'a key that a cassette was asked with: %s, shows nowhere when no exchange fits',
  async (_location, { options, run }) => {
    const file = new URL('text-only.generate.yaml', String(subjects[1]?.cassettes))
    const fetch = cassetteFetch(fileURLToPath(file))
    const errors = await errorsOf(gateway(fetch, options), run)
    expectNoKey(errors)
    expect(everything(errors[0])).toContain('exchange')
  },
)
