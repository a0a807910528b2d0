import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import OpenAI from 'openai'
import { expect, onTestFinished, test, vi } from 'vitest'
import { readCassette } from '../file/cassette-file.ts'
import { refusalHeader } from '../replay/refusal.ts'
import { textOf } from '../testing.ts'
import { useCassette } from './use-cassette.ts'

const publicBaseURL = 'https://api.example.com/v1'
const question = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"question":"東京?"}' }

/** A server, and a path where there is no cassette yet. */
async function setUp(listener: RequestListener) {
  // Under CI nothing is recorded, and these tests run there too.
  vi.stubEnv('CI', undefined)
  const folder = mkdtempSync(join(tmpdir(), 'cassette-missing-'))
  const server = createServer(listener)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
    rmSync(folder, { recursive: true })
  })
  const address = server.address()
  const baseURL = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/v1`
  const origin = { kind: 'local', by: 'tests' } as const
  const header = { scenario: 'missing', mode: 'stream', provider: 'p', wire: 'w', model: 'm', origin } as const
  return {
    path: join(folder, 'missing.yaml'),
    recordMissing: { publicBaseURL, baseURL, header },
    close: () => server.close(),
  }
}

const ask = async (): Promise<string> => (await fetch(`${publicBaseURL}/chat`, question)).text()

test('a cassette that is missing is recorded once, and replayed from then on', async () => {
  let asked = 0
  const { path, recordMissing } = await setUp((_, response) => {
    asked += 1
    response.setHeader('content-type', 'text/plain')
    response.setHeader('content-encoding', 'gzip')
    response.end(gzipSync(`answer ${asked}, Zürich`))
  })
  for (const isRecording of [true, false, false]) {
    using used = useCassette(path, { recordMissing })
    expect([used.isRecording, await ask()]).toEqual([isRecording, 'answer 1, Zürich'])
  }
  expect(asked).toBe(1)
  const [exchange] = readCassette(path).exchanges
  expect(exchange?.request.url).toBe(`${publicBaseURL}/chat`)
  expect(textOf(exchange!.response.body)).toBe('answer 1, Zürich')
})

test('a client that cannot be configured is recorded below its own fetch, streaming', async () => {
  const chunk = (content: string) => `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }] })}\n\n`
  const { path, recordMissing } = await setUp((_, response) => {
    response.setHeader('content-type', 'text/event-stream')
    response.write(chunk('Zür'))
    setTimeout(() => response.end(`${chunk('ich')}data: [DONE]\n\n`), 5)
  })
  const run = async (): Promise<string> => {
    const client = new OpenAI({ apiKey: 'made-up', maxRetries: 0, baseURL: publicBaseURL })
    const messages = [{ role: 'user' as const, content: 'Hi' }]
    let text = ''
    for await (const part of await client.chat.completions.create({ model: 'm', stream: true, messages })) {
      text += part.choices[0]?.delta.content ?? ''
    }
    return text
  }
  for (const isRecording of [true, false]) {
    using used = useCassette(path, { recordMissing })
    expect([used.isRecording, await run()]).toEqual([isRecording, 'Zürich'])
  }
})

test('the first chunk reaches the client before the last one is sent', async () => {
  let end: (() => void) | undefined
  const { path, recordMissing } = await setUp((_, response) => {
    response.setHeader('content-type', 'text/plain')
    response.write('first')
    end = () => response.end(' last')
  })
  using used = useCassette(path, { recordMissing })
  const reader = (await fetch(`${publicBaseURL}/chat`, question)).body!.getReader()
  expect(textOf((await reader.read()).value!)).toBe('first')
  // Only now the server goes on.
  end?.()
  expect(textOf((await reader.read()).value!)).toBe(' last')
  expect((await reader.read()).done).toBe(true)
  expect(used.isRecording).toBe(true)
})

test.each([401, 402, 403, 429])('status %i is not recorded: there is no file, and the test fails', async (status) => {
  const { path, recordMissing } = await setUp((_, response) => void response.writeHead(status).end('{}'))
  const used = useCassette(path, { recordMissing })
  onTestFinished(used.close)
  expect(await ask()).toBe('{}')
  expect(() => used[Symbol.dispose]()).toThrow(new RegExp(`exchange 1.*status ${status}, the account was refused`))
  expect(existsSync(path)).toBe(false)
})

test('a connection that breaks is not recorded', async () => {
  const { path, recordMissing } = await setUp((_, response) => {
    response.setHeader('content-type', 'text/plain')
    response.write('half')
    setTimeout(() => response.destroy(), 5)
  })
  const used = useCassette(path, { recordMissing })
  onTestFinished(used.close)
  await expect(ask()).rejects.toThrow(TypeError)
  expect(() => used[Symbol.dispose]()).toThrow(/the connection broke/)
  expect(existsSync(path)).toBe(false)
})

test('while a cassette is recorded, requests elsewhere are denied and nothing is written', async () => {
  const { path, recordMissing } = await setUp((_, response) => void response.end('answer'))
  const used = useCassette(path, { recordMissing })
  onTestFinished(used.close)
  await ask()
  const elsewhere = await fetch('https://elsewhere.example.org/data')
  expect(elsewhere.headers.get(refusalHeader)).toBe('outside-base-url')
  expect(() => used[Symbol.dispose]()).toThrow(expect.objectContaining({ code: 'outside-base-url' }))
  expect(existsSync(path)).toBe(false)
})

test('a recording that is closed and not disposed of is not written', async () => {
  const { path, recordMissing } = await setUp((_, response) => void response.end('answer'))
  const used = useCassette(path, { recordMissing })
  await ask()
  used.close()
  used[Symbol.dispose]()
  expect(existsSync(path)).toBe(false)
})

test('under CI nothing is recorded: a missing cassette is an error', async () => {
  const { path, recordMissing } = await setUp((_, response) => void response.end('answer'))
  vi.stubEnv('CI', '1')
  expect(() => useCassette(path, { recordMissing })).toThrow(expect.objectContaining({ code: 'missing' }))
})

test('what looks secret stops the writing', async () => {
  const { path, recordMissing } = await setUp((_, response) => void response.end('mail zoe.muster@zurich-post.ch'))
  const used = useCassette(path, { recordMissing })
  onTestFinished(used.close)
  await ask()
  expect(() => used[Symbol.dispose]()).toThrow(expect.objectContaining({ code: 'secret-found' }))
  expect(existsSync(path)).toBe(false)
})
