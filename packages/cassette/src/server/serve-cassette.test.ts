import { connect } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import type { Cassette } from '../cassette.ts'
import { cassetteOf, exchange } from '../testing.ts'
import { serveCassette, type ServeOptions } from './serve-cassette.ts'

async function serving(cassette: Cassette, options?: ServeOptions) {
  const server = await serveCassette(cassette, options)
  onTestFinished(server.close)
  return server
}

/** What a bare socket receives for the recorded question, and how the connection ended. */
async function raw(url: string): Promise<{ text: string; error: string | undefined }> {
  const { port, hostname } = new URL(url)
  const socket = connect(Number(port), hostname)
  const body = '{"question":"why?"}'
  const head = `POST /v1/chat HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: ${body.length}`
  socket.write(`${head}\r\n\r\n${body}`)
  const pieces: Buffer[] = []
  let error: string | undefined
  socket.on('data', (piece: Buffer) => pieces.push(piece))
  socket.on('error', (cause: NodeJS.ErrnoException) => (error = cause.code))
  await new Promise((resolve) => socket.once('close', resolve))
  return { text: Buffer.concat(pieces).toString(), error }
}

test('each recorded chunk is one chunk of the transfer', async () => {
  const { url } = await serving(cassetteOf(exchange({ chunks: ['data: 1\n', '', '\nda', 'ta: 2\n\n'] })))
  const { text, error } = await raw(url)
  expect(text.split('\r\n\r\n')[1]).toBe(
    '8\r\ndata: 1\n\r\n3\r\n\nda\r\n9\r\nta: 2\n\n\r\n0'.replace('\r\n9\r\n', '\r\n7\r\n'),
  )
  expect(error).toBeUndefined()
})

test('a recorded reset is a reset of the connection, after all bytes', async () => {
  const { url } = await serving(cassetteOf(exchange({ chunks: ['data: 1\n'], ending: 'reset' })))
  const { text, error } = await raw(url)
  expect(text).toContain('8\r\ndata: 1\n\r\n')
  expect(text).not.toContain('\r\n0\r\n')
  expect(error).toBe('ECONNRESET')
})

test('a stall leaves the connection open until the server closes', async () => {
  const server = await serving(cassetteOf(exchange({ chunks: ['data: 1\n'], ending: 'stall' })))
  const response = await fetch(`${server.url}/v1/chat`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"question":"why?"}',
  })
  const reader = response.body!.getReader()
  await reader.read()
  const ending = reader.read().then(
    () => 'read on',
    (error: unknown) => String(error),
  )
  await server.close()
  expect(await ending).toBe('TypeError: terminated')
})

test('a request to the server counts as one to the public base URL that it stands for', async () => {
  const publicBaseURL = 'https://api.example.com/v1/'
  const server = await serving(cassetteOf(exchange({ method: 'GET', sent: '', requestHeaders: {}, chunks: ['x'] })), {
    publicBaseURL,
  })
  expect(await (await fetch(`${server.url}/chat`)).text()).toBe('x')
  server.replay.assertConsumed()
})

test('a cassette of several origins needs a base URL', async () => {
  const cassette = cassetteOf(exchange({}), exchange({ url: 'https://other.example.com/' }))
  await expect(serveCassette(cassette)).rejects.toThrow(/several origins.*publicBaseURL/)
})

test('closing twice and closing an idle server is no error', async () => {
  const server = await serveCassette(cassetteOf())
  await server.close()
  await expect(server.close()).resolves.toBeUndefined()
})
