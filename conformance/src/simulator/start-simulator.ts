import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { setImmediate } from 'node:timers/promises'
import { simulatorHeader } from '@steploop/cassette/record'
import { parsed } from '../json.ts'
import type { ScriptedTurn } from '../script.ts'
import { suiteVersion } from '../suite-version.ts'
import { bytesOf } from '../wires/simulate/body-bytes.ts'
import { chunkSchedule } from '../wires/simulate/chunk-schedule.ts'
import { openOwnPlay, ownBasePath, type OwnSimulation } from './own-play.ts'
import { reply, type Play } from './play.ts'
import type { Memory, Rejection } from '../wires/simulate/wire-simulation.ts'
import { simulatedWire } from '../wires/index.ts'
import type { SimulatedRequest } from '../provider-script.ts'
import type { Reply } from './reply.ts'

export interface SimulatorOptions {
  /** A wire format of `simulatedWires`, for example `openai-chat`. */
  readonly wire: string
  /**
   * Public base URL of the provider that is played: its host picks the dialect. Default: the provider after which the wire format is
   * named, which also stands for hosts that are not known.
   */
  readonly baseURL?: string | undefined
  /** One turn per answered request, in order. Refused requests use none up. */
  readonly script: readonly ScriptedTurn[]
  /** When given, any other key is refused with the provider's 401. Default: every key that is not empty is good. */
  readonly apiKey?: string | undefined
  /** TCP port on 127.0.0.1. Default 0: a free one. */
  readonly port?: number | undefined
  /** Plays a wire format that is not in the list. `wire` is a name only then. */
  readonly own?: (OwnSimulation & { readonly scenario: string }) | undefined
}

/** A request that came, and what became of it. */
export interface ReceivedRequest extends SimulatedRequest {
  /** Parsed body; `undefined` when it is no JSON. */
  readonly body: unknown
  readonly status: number
  /** Why it was refused; absent when the script answered it. */
  readonly rejection?: Rejection | undefined
}

export interface Simulator {
  /** Stands for the provider's public base URL: `http://127.0.0.1:PORT/v1`, without a slash at the end. */
  readonly url: string
  /** Requests so far, in order of arrival. */
  readonly requests: readonly ReceivedRequest[]
  /** Turns of the script that were not asked for yet. */
  readonly remaining: number
  /** Ids of the responses that it keeps; those that were deleted are gone. */
  readonly stored: readonly string[]
  /** Stops listening and ends open connections. */
  close(): Promise<void>
}

/**
 * Starts a server on the loopback interface that plays one provider for one wire format. Answers depend on the script and
 * the requests only: ids are counters, the clock stands still, chunks are cut by a fixed schedule.
 *
 * Throws `RangeError` for a wire format that it does not speak.
 */
export async function startSimulator(options: SimulatorOptions): Promise<Simulator> {
  const player = options.own === undefined ? knownPlayer(options) : ownPlayer(options, options.own)
  const requests: ReceivedRequest[] = []
  const server = createServer((incoming, outgoing) => {
    answer(player, requests, incoming, outgoing).catch(() => {
      outgoing.destroy()
    })
  })
  const port = await listen(server, options.port ?? 0)
  return {
    url: `http://127.0.0.1:${port}${player.basePath}`,
    requests,
    get remaining() {
      return player.remaining()
    },
    get stored() {
      return player.stored()
    },
    close: () => close(server),
  }
}

/** What answers. */
interface Player {
  readonly basePath: string
  readonly reply: (request: SimulatedRequest) => Reply | Promise<Reply>
  readonly remaining: () => number
  readonly stored: () => readonly string[]
}

function knownPlayer({ wire, baseURL, script, apiKey }: SimulatorOptions): Player {
  const simulation = simulatedWire(wire, baseURL)
  const memory: Memory = { responses: new Map(), items: new Map() }
  const play: Play = { simulation, script, apiKey, memory, position: 0, requests: 0 }
  return {
    basePath: simulation.basePath,
    reply: (request) => removeStored(play, request) ?? reply(play, request),
    remaining: () => script.length - play.position,
    stored: () => [...memory.responses.keys()],
  }
}

function ownPlayer(
  { baseURL = '', script }: SimulatorOptions,
  own: OwnSimulation & { readonly scenario: string },
): Player {
  const play = openOwnPlay({ own, scenario: own.scenario, script })
  return {
    basePath: ownBasePath(baseURL),
    reply: play.reply,
    remaining: () => play.remaining,
    stored: () => [],
  }
}

async function answer(
  player: Player,
  requests: ReceivedRequest[],
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const request: SimulatedRequest = {
    method: incoming.method ?? '',
    path: incoming.url ?? '',
    headers: headersOf(incoming),
    text: await textOf(incoming),
  }
  const answered = await player.reply(request)
  const { status, rejection } = answered
  requests.push({ ...request, body: parsed(request.text), status, rejection })
  await write(answered, outgoing)
}

/** Writes chunk by chunk, each in a turn of the event loop of its own; gives up when the client has gone. */
async function write(answered: Reply, outgoing: ServerResponse): Promise<void> {
  outgoing.sendDate = false
  if (answered.status === 0) {
    outgoing.destroy()
    return
  }
  outgoing.writeHead(answered.status, {
    date: 'Thu, 01 Jan 2026 00:00:00 GMT',
    ...answered.headers,
    [simulatorHeader]: suiteVersion,
  })
  outgoing.flushHeaders()
  for (const chunk of chunkSchedule(bytesOf(answered.body))) {
    await setImmediate()
    if (outgoing.destroyed) return
    await sent(outgoing, chunk)
  }
  // A break discards nothing that was sent before it, so that each recording of it holds the same bytes.
  if (answered.breaks === true) outgoing.destroy()
  else outgoing.end()
}

/** Settles when the bytes are on their way, or the client has gone. */
function sent(outgoing: ServerResponse, chunk: Uint8Array): Promise<void> {
  return new Promise((resolve) => {
    outgoing.write(chunk, () => {
      resolve()
    })
  })
}

async function textOf(incoming: IncomingMessage): Promise<string> {
  let text = ''
  incoming.setEncoding('utf8')
  for await (const piece of incoming) text += String(piece)
  return text
}

function headersOf(incoming: IncomingMessage): Record<string, string> {
  const headers: Record<string, string> = {}
  for (const [name, value] of Object.entries(incoming.headers)) {
    headers[name] = Array.isArray(value) ? value.join(', ') : (value ?? '')
  }
  return headers
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', () => {
      const address = server.address()
      resolve(typeof address === 'object' && address !== null ? address.port : port)
    })
  })
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => {
      resolve()
    })
    server.closeAllConnections()
  })
}

/**
 * Deletes a stored response, where the provider keeps some: `DELETE /responses/{id}`
 * (https://platform.openai.com/docs/api-reference/responses/delete). `undefined` for any other request.
 */
function removeStored(play: Play, request: SimulatedRequest): Reply | undefined {
  const { simulation, memory } = play
  const start = `${simulation.basePath}${simulation.path}/`
  const path = request.path.split('?')[0] ?? ''
  if (request.method !== 'DELETE' || simulation.remember === undefined || !path.startsWith(start)) return undefined
  const headers = { 'content-type': 'application/json' }
  const unauthorised = simulation.authorise(request.headers, play.apiKey)
  const id = decodeURIComponent(path.slice(start.length))
  const unknown = { status: 404, type: simulation.errorTypes.notFound, message: `Response with id '${id}' not found.` }
  const rejection = unauthorised ?? (memory.responses.has(id) ? undefined : unknown)
  if (rejection !== undefined) {
    const body = JSON.stringify(simulation.errorBody(rejection, play.requests))
    return { status: rejection.status, headers, body, rejection }
  }
  memory.responses.delete(id)
  return { status: 200, headers, body: JSON.stringify({ id, object: 'response', deleted: true }) }
}
