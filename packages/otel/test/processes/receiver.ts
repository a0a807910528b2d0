/**
 * A backend: takes OTLP over HTTP, as JSON or as protobuf, and gives back what it understood. Prints its port; ends with its parent.
 */
import { createServer, type IncomingMessage } from 'node:http'
import { resolve } from 'node:path'
import { gunzipSync } from 'node:zlib'
import protobuf from 'protobufjs'

interface Received {
  readonly path: string
  readonly type: string
  readonly body: unknown
}

const schema = protobuf.loadSync(resolve(import.meta.dirname, 'trace.proto')).lookupType('ExportTraceServiceRequest')
const received: Received[] = []

/** As the JSON form of OTLP has it: ids in hex, enums and numbers as numbers, 64 bits as texts. */
function decoded(bytes: Buffer): unknown {
  const message = schema.decode(bytes)
  const plain = schema.toObject(message, { longs: String, bytes: Buffer }) as object
  return JSON.parse(
    JSON.stringify(plain, (_name, value: unknown) =>
      isBytes(value) ? Buffer.from(value.data).toString('hex') : value,
    ),
  )
}

function isBytes(value: unknown): value is { readonly data: readonly number[] } {
  return typeof value === 'object' && value !== null && 'type' in value && value.type === 'Buffer'
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const bytes = Buffer.concat(chunks)
  return request.headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes
}

const server = createServer((request, response) => {
  void bodyOf(request).then((bytes) => {
    const { url: path = '', method, headers } = request
    if (method === 'GET') {
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify(received))
      return
    }
    const type = headers['content-type'] ?? ''
    const body: unknown = type.includes('json') ? JSON.parse(bytes.toString()) : decoded(bytes)
    received.push({ path, type, body })
    response.setHeader('content-type', type)
    response.end(type.includes('json') ? '{}' : '')
  })
})
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  process.stdout.write(`${typeof address === 'object' ? address?.port : ''}\n`)
})
process.stdin.resume().on('end', () => {
  server.close()
  server.closeAllConnections()
})
