import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { writeCassette } from '../file/cassette-file.ts'
import { cassetteOf, exchange, textOf } from '../testing.ts'
import { cassetteFetch } from './cassette-fetch.ts'

const url = 'https://api.example.com/v1/chat'
const question = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"question":"why?"}' }

test('a cassette may be given by its path, which every error names', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'cassette-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'one.yaml')
  writeCassette(path, cassetteOf(exchange({ chunks: ['answer'] })), { env: {} })
  const replayFetch = cassetteFetch(path)
  expect(await (await replayFetch(url, question)).text()).toBe('answer')
  await expect(replayFetch(url, question)).rejects.toThrow(expect.objectContaining({ code: 'no-match', file: path }))
  expect(() => cassetteFetch(join(folder, 'two.yaml'))).toThrow(expect.objectContaining({ code: 'missing' }))
})

test.each<[string, () => [RequestInfo | URL, RequestInit?]]>([
  ['a string', () => [url, question]],
  ['a URL', () => [new URL(url), question]],
  ['a Request', () => [new Request(url, question)]],
  ['bytes', () => [url, { ...question, body: new TextEncoder().encode(question.body) }]],
  ['a Blob', () => [url, { ...question, body: new Blob([question.body]) }]],
  ['Headers', () => [url, { ...question, headers: new Headers(question.headers) }]],
])('a request given as %s matches', async (_, request) => {
  expect(await (await cassetteFetch(cassetteOf(exchange({ chunks: ['x'] })))(...request())).text()).toBe('x')
})

test('the response has its URL, status and headers', async () => {
  const response = await cassetteFetch(cassetteOf(exchange({ status: 201, headers: { 'retry-after': '1' } })))(
    url,
    question,
  )
  expect([response.url, response.status, response.ok, response.headers.get('retry-after')]).toEqual([
    url,
    201,
    true,
    '1',
  ])
})

test('a chunk is delivered only when it is read', async () => {
  const waits: number[] = []
  const recorded = exchange({ chunks: ['a', 'b', 'c'] })
  const chunks = [5, 10, 20].map((ms) => ({ ms, bytes: 1 }))
  const cassette = cassetteOf({ ...recorded, response: { ...recorded.response, chunks } })
  const sleep = async (ms: number) => void waits.push(ms)
  const body = (await cassetteFetch(cassette, { timing: 'recorded', sleep })(url, question)).body!.getReader()
  await body.read()
  expect(waits).toEqual([5])
  await body.read()
  await body.read()
  expect(waits).toEqual([5, 10, 20])
  expect((await body.read()).done).toBe(true)
})

test('a timing of 2 is twice as fast as recorded, and instant does not wait', async () => {
  const recorded = exchange({ chunks: ['a'] })
  const cassette = cassetteOf({ ...recorded, response: { ...recorded.response, chunks: [{ ms: 30, bytes: 1 }] } })
  const waits: number[] = []
  const sleep = async (ms: number) => void waits.push(ms)
  await (await cassetteFetch(cassette, { timing: 2, sleep })(url, question)).text()
  await (await cassetteFetch(cassette, { sleep })(url, question)).text()
  expect(waits).toEqual([15])
})

test('what a consumer does to its chunks does not reach the next replay', async () => {
  const cassette = cassetteOf(exchange({ chunks: ['answer'] }))
  const { value } = await (await cassetteFetch(cassette)(url, question)).body!.getReader().read()
  value?.fill(0)
  expect(await (await cassetteFetch(cassette)(url, question)).text()).toBe('answer')
})

test('an aborted signal rejects with its reason and consumes nothing', async () => {
  const replayFetch = cassetteFetch(cassetteOf(exchange({ chunks: ['x'] })))
  const reason = new Error('enough')
  await expect(replayFetch(url, { ...question, signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
  expect(replayFetch.replay.unconsumed()).toHaveLength(1)
})

test('an abort in mid-stream fails the pending read with its reason', async () => {
  const aborter = new AbortController()
  const replayFetch = cassetteFetch(cassetteOf(exchange({ chunks: ['x'], ending: 'stall' })))
  const reader = (await replayFetch(url, { ...question, signal: aborter.signal })).body!.getReader()
  expect(textOf((await reader.read()).value!)).toBe('x')
  const pending = reader.read()
  const reason = new Error('enough')
  aborter.abort(reason)
  await expect(pending).rejects.toBe(reason)
})

test('a consumer that cancels is done, and a later abort is no error', async () => {
  const aborter = new AbortController()
  const replayFetch = cassetteFetch(cassetteOf(exchange({ chunks: ['x', 'y'], ending: 'reset' })))
  const reader = (await replayFetch(url, { ...question, signal: aborter.signal })).body!.getReader()
  await reader.read()
  await reader.cancel()
  aborter.abort()
  expect((await reader.read()).done).toBe(true)
})

test('no file behind this entry imports from Node', () => {
  const seen = new Set<string>()
  const queue = [new URL('index.ts', import.meta.url)]
  for (let file = queue.pop(); file !== undefined; file = queue.pop()) {
    if (seen.has(file.href)) continue
    seen.add(file.href)
    const text = readFileSync(file, 'utf8')
    expect([file.pathname, /^(?:import|export) (?!type).*from 'node:/m.test(text)]).toEqual([file.pathname, false])
    for (const [, path] of text.matchAll(/from '(\.[^']+)'/g)) queue.push(new URL(path!, file))
  }
  expect(seen.size).toBeGreaterThan(readdirSync(new URL('.', import.meta.url)).length)
})
